// config.json of a Hugging Face model directory → ModelConfig.
//
// Every field that matters to a pass is read; those that are known not to matter (dropout, the ids
// of special tokens, settings for generating …) are passed over. Any other is refused by its name
// and value: what it would mean is not guessed.
#pragma once

#include <filesystem>

#include "core/formats/json.h"
#include "core/model/model_config.h"

namespace headscope::formats {

/// Throws UserError that names the file, the field and what was found there.
model::ModelConfig modelConfigFrom(const JsonField& root);
model::ModelConfig readModelConfig(const std::filesystem::path& path);

}  // namespace headscope::formats
