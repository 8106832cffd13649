// Model directory: a transformer as Hugging Face lays it out: config.json and the weights, with the
// names each kind of model gives its tensors.
#pragma once

#include <filesystem>

#include "core/model/model.h"

namespace headscope::formats {

/// Opens a model. `directory` may also be a GGUF file, the folder of one, or the name of a model
/// that comes with the program (shipped_model.h).
///
/// Reads config.json and the headers of the weights, and checks that every tensor is present with
/// its shape. An unknown tensor is refused where it would change the result, and otherwise noted
/// (Model::notes). Values are read when they are needed. `layerBudgetBytes`: as of Model. Throws
/// UserError that names the file, field or tensor.
model::ModelPtr openModel(const std::filesystem::path& directory, Index layerBudgetBytes);

}  // namespace headscope::formats
