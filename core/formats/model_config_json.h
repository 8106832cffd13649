// config.json of a Hugging Face model directory → ModelConfig.
//
// A field that matters to a pass is read, or refused with the mathematics that it asks for; one
// without effect is passed over; one that is not known is passed over and noted (config_fields.h).
#pragma once

#include <filesystem>

#include "core/base/json.h"
#include "core/model/model_config.h"
#include "core/model/model_notes.h"

namespace headscope::formats {

/// Throws UserError that names the file, the field and what was found there. `notes` gets the
/// fields that are not known.
model::ModelConfig modelConfigFrom(const JsonField& root, model::ModelNotes& notes);
model::ModelConfig readModelConfig(const std::filesystem::path& path, model::ModelNotes& notes);

}  // namespace headscope::formats
