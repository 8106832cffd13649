// Model directory: a transformer as Hugging Face lays it out: config.json and the weights, with the
// names each kind of model gives its tensors.
#pragma once

#include <filesystem>

#include "core/model/model.h"

namespace headscope::formats {

/// `directory`: or the name of a model that comes with the program (shipped_model.h).
///
/// Reads config.json and the headers of the weights, and checks that every tensor is there in its
/// shape; one that the model does not know is refused where it would change the result, and noted
/// elsewhere (Model::notes). The values are read when they are needed.
/// `layerBudgetBytes`: as of Model. Throws UserError that names the file, field or tensor.
model::ModelPtr openModel(const std::filesystem::path& directory, Index layerBudgetBytes);

}  // namespace headscope::formats
