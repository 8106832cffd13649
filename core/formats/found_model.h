// Found model: what lies at a model's place, read as far as its configuration and the names of its
// tensors.
#pragma once

#include <filesystem>
#include <string>

#include "core/formats/model_config_json.h"
#include "core/formats/weight_files.h"

namespace headscope::formats {

struct FoundModel {
  std::string name;
  ModelDescription description;
  WeightFiles files;
};

/// Finds a model at a place as openModel takes it, but for an adapter's folder. Throws UserError.
FoundModel findModel(const std::filesystem::path& directory, model::ModelNotes& notes,
                     Encoder encoder = Encoder::ofImages);

}  // namespace headscope::formats
