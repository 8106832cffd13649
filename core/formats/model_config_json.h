// config.json of a Hugging Face model directory → ModelConfig.
//
// A field that affects a pass is read, or refused with the mathematics that it asks for. A field
// without effect is ignored. An unknown field is ignored and noted (config_fields.h).
#pragma once

#include <filesystem>

#include "core/base/json.h"
#include "core/model/model_config.h"
#include "core/model/model_notes.h"

namespace headscope::formats {

/// Throws UserError that names the file, the field and the value found. `notes` receives the
/// unknown fields.
model::ModelConfig modelConfigFrom(const JsonField& root, model::ModelNotes& notes);
model::ModelConfig readModelConfig(const std::filesystem::path& path, model::ModelNotes& notes);

}  // namespace headscope::formats
