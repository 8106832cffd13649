// A GPT-2 model's folder with random weights, of any number of layers and heads, two numbers a
// head.
#pragma once

#include <filesystem>

#include "core/base/index.h"

namespace headscope::ui {

/// Writes config.json and model.safetensors into the folder, which has to be there; no tokenizer.
void writeRandomGpt2(const std::filesystem::path& folder, Index layers, Index heads);

}  // namespace headscope::ui
