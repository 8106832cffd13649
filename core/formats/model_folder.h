// Model folder: which of a folder's files hold a model's configuration and weights; where they do
// not, what is there instead, and the way out.
#pragma once

#include <filesystem>

#include "core/model/model_notes.h"

namespace headscope::formats {

struct WeightsPlace {
  std::filesystem::path path;
  bool index = false;  // it lists the files that hold the tensors
};

/// The path of config.json. Throws UserError that says what the folder holds in its place.
std::filesystem::path configIn(const std::filesystem::path& folder);

/// model.safetensors, its index, or the one file of weights there is under another name. `notes`
/// gets what is not read, and another name. Throws UserError that says what there is instead.
WeightsPlace weightsIn(const std::filesystem::path& folder, model::ModelNotes& notes);

}  // namespace headscope::formats
