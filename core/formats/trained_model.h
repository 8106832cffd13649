// Trained model: what a training run has learned, written as the folder of a model (model_type
// "headscope" in its config.json), which opens like any other one.
#pragma once

#include <filesystem>

#include "core/training/model.h"

namespace headscope::formats {

/// Writes config.json, model.safetensors (float32) and tokenizer.json, one token for each letter,
/// into the folder, which is made where it is not there. Throws UserError for a task whose one
/// question is not the next of its symbols, and where a file cannot be written.
void saveAsModel(const std::filesystem::path& folder, const training::Model& model);

}  // namespace headscope::formats
