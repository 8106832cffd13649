#include "core/formats/model_directory.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/formats/gguf_model.h"
#include "core/formats/model_config_json.h"
#include "core/formats/model_folder.h"
#include "core/formats/model_name.h"
#include "core/formats/parts_reader.h"
#include "core/formats/shipped_model.h"
#include "core/formats/tensor_prefixes.h"
#include "core/formats/unused_tensors.h"
#include "core/formats/weight_files.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using model::ModelNotes;

/// Reads from the files of a directory.
class DirectoryWeights final : public model::WeightReader {
 public:
  DirectoryWeights(WeightFiles files, ModelDescription description, ModelNotes& notes)
      : files_(std::move(files)),
        description_(std::move(description)),
        prefix_(prefixIn(files_, description_)) {
    std::set<std::string> used;
    PartsReader checker = parts();
    checker.checkOnly(used);
    checker.embedding();
    for (Index layer = 0; layer < description_.config.layers; ++layer) checker.layer(layer);
    checker.readout();
    countParameters(used);
    checkUnused(
        {files_, description_, prefix_}, used,
        [this](std::string_view name) { return parts().repeatedBy(name); }, notes);
  }

  model::Embedding embedding() const override { return parts().embedding(); }
  model::LayerWeights layer(Index layer) const override { return parts().layer(layer); }
  model::Readout readout() const override { return parts().readout(); }
  bool hasReadout() const override { return parts().hasReadout(); }
  Index parameters() const override { return parameters_; }
  bool changedOnDisk() const override { return files_.changed(); }

 private:
  /// Counts the parameters, without those of a masked-word head.
  void countParameters(const std::set<std::string>& used) {
    const TensorNames& names = description_.names;
    const bool head = names.transform != nullptr && !names.baseTransform && !prefix_.base.empty();
    for (const std::string& name : used) {
      if (head && !name.starts_with(prefix_.whole())) continue;
      parameters_ += elementCount(files_.shape(name));
    }
  }

  PartsReader parts() const { return {files_, description_.config, description_.names, prefix_}; }

  WeightFiles files_;
  ModelDescription description_;
  NamePrefix prefix_;
  Index parameters_ = 0;
};

/// Why there is no folder at a path.
std::string whyNoFolder(const fs::path& path) {
  std::error_code code;
  if (fs::exists(path, code)) return "not a folder";
  const fs::path target = fs::read_symlink(path, code);
  return code ? "not there" : fmt::format("a link to {}, which does not exist", target.string());
}

}  // namespace

model::ModelPtr openModel(const fs::path& directory, Index layerBudgetBytes) {
  ModelNotes notes;
  if (const auto shipped = shippedModel(directory)) {
    const std::string file = shipped->fileName("config.json");
    const Json json = parseJson(shipped->file("config.json"));
    ModelDescription description = modelDescriptionFrom({json, file}, notes);
    WeightFiles files(directory, SafetensorsFile(shipped->fileName("model.safetensors"),
                                                 shipped->file("model.safetensors")));
    auto weights = std::make_unique<DirectoryWeights>(std::move(files), description, notes);
    return std::make_shared<const model::Model>(shipped->title(), std::move(description.config),
                                                std::move(weights), layerBudgetBytes,
                                                std::move(notes));
  }
  if (const auto gguf = ggufAt(directory)) {
    auto file = std::make_shared<const GgufFile>(*gguf);
    const std::string name = gguf->string();
    const Json json = ggufConfig(*file);
    ModelDescription description = modelDescriptionFrom({json, name}, notes);
    WeightFiles files(gguf->parent_path(), ggufWeights(std::move(file)));
    auto weights = std::make_unique<DirectoryWeights>(std::move(files), description, notes);
    return std::make_shared<const model::Model>(gguf->stem().string(),
                                                std::move(description.config), std::move(weights),
                                                layerBudgetBytes, std::move(notes));
  }
  std::error_code code;
  if (!fs::is_directory(directory, code)) {
    throw UserError(fmt::format("{} is {}: give the one with a model's config.json",
                                directory.string(), whyNoFolder(directory)));
  }
  ModelDescription description = readModelDescription(configIn(directory), notes);
  auto weights =
      std::make_unique<DirectoryWeights>(WeightFiles(directory, notes), description, notes);
  return std::make_shared<const model::Model>(modelName(directory), std::move(description.config),
                                              std::move(weights), layerBudgetBytes,
                                              std::move(notes));
}

}  // namespace headscope::formats
