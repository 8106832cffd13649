// Model directory: a transformer as Hugging Face lays it out: config.json and the weights, with the
// names each kind of model gives its tensors.
#pragma once

#include <filesystem>

#include "core/formats/adapter.h"
#include "core/formats/model_config_json.h"
#include "core/model/model.h"

namespace headscope::formats {

/// Returns whether a path is of a file that openModel takes: GGUF, or attention weights.
bool isModelFile(const std::filesystem::path& path);

/// Opens a model. `folder` may also be a GGUF file, the folder of one, a file of attention weights
/// (attention_file.h), the name of a model that comes with the program (shipped_model.h), or the
/// folder of a LoRA adapter whose base is a folder of this machine. `adapter`: a LoRA adapter to
/// put onto it, with its strength.
///
/// Reads config.json and the headers of the weights, and checks that every tensor is present with
/// its shape. An unknown tensor is refused where it would change the result, and otherwise noted
/// (Model::notes). `encoder`: the one that is opened of CLIP's folder. Values are read when they
/// are needed. `layerBudgetBytes`: as of Model. Throws UserError that names the file, field or
/// tensor.
model::ModelPtr openModel(const std::filesystem::path& folder, Index layerBudgetBytes,
                          const AdapterChoice& adapter = {}, Encoder encoder = Encoder::ofImages);

}  // namespace headscope::formats
