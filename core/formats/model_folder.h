// Model folder: finds the files of a folder that hold a model's configuration and weights. Where
// they are missing, messages name what the folder holds instead, and the way out.
#pragma once

#include <filesystem>

#include "core/model/model_notes.h"

namespace headscope::formats {

struct WeightsPlace {
  std::filesystem::path path;
  bool index = false;  // it lists the files that hold the tensors
};

/// The path of config.json. Throws UserError that names what the folder holds instead.
std::filesystem::path configIn(const std::filesystem::path& folder);

/// Finds model.safetensors, its index, or the only file of weights under another name. `notes`
/// receives the unread files and that other name. Throws UserError that names what the folder holds
/// instead.
WeightsPlace weightsIn(const std::filesystem::path& folder, model::ModelNotes& notes);

}  // namespace headscope::formats
