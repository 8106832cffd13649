// config.json of a Hugging Face model directory → ModelConfig, and the names of the tensors.
//
// A field that affects a pass is read, or refused with the mathematics that it asks for. A field
// without effect is ignored. An unknown field is ignored and noted (config_fields.h). The families
// in families/ say which is which.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/formats/families/tensor_names.h"
#include "core/model/model_config.h"
#include "core/model/model_notes.h"

namespace headscope::formats {

/// CLIP's folder holds two models; every other folder one, whatever is asked for.
enum class Encoder { ofImages, ofTexts };

struct ModelDescription {
  model::ModelConfig config;
  TensorNames names;
  std::shared_ptr<const ModelDescription> encoder = nullptr;  // null for a model of one stack
  /// The tensors whose names begin so belong to CLIP's other encoder, or to the match of both.
  std::vector<std::string> elsewhere = {};
};

/// Throws UserError that names the file, the field and the value found. `notes` receives the
/// unknown fields. `generation`: the fields of generation_config.json, which say how text begins
/// and ends where config.json says otherwise or nothing; null without that file.
ModelDescription modelDescriptionFrom(const JsonField& root, model::ModelNotes& notes,
                                      Encoder encoder = Encoder::ofImages,
                                      const JsonField* generation = nullptr);
/// Reads a config.json and the generation_config.json next to it, which may be missing.
ModelDescription readModelDescription(const std::filesystem::path& path, model::ModelNotes& notes,
                                      Encoder encoder = Encoder::ofImages);

}  // namespace headscope::formats
