#include "core/formats/model_directory.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/formats/found_model.h"
#include "core/formats/model_name.h"
#include "core/formats/parts_reader.h"
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

}  // namespace

model::ModelPtr openModel(const fs::path& folder, Index layerBudgetBytes,
                          const AdapterChoice& choice, Encoder encoder) {
  const auto [directory, adapter] = adaptedFolder(folder, choice);
  ModelNotes notes;
  FoundModel found = findModel(directory, notes, encoder);
  const model::ModelConfig& config = found.description.config;
  auto own = std::make_unique<DirectoryWeights>(found.files, found.description, notes);
  if (adapter.folder.empty()) {
    return std::make_shared<const model::Model>(found.name, config, std::move(own),
                                                layerBudgetBytes, std::move(notes));
  }
  const auto base = std::make_shared<const model::Model>(found.name, config, std::move(own),
                                                         layerBudgetBytes, notes);
  found.files.adapt(adapter, found.description.names.inByOut, notes);
  ModelNotes noted;  // of the base's files once more
  return std::make_shared<const model::Model>(
      fmt::format("{} + {}", found.name, modelName(adapter.folder)), config,
      std::make_unique<DirectoryWeights>(found.files, found.description, noted), layerBudgetBytes,
      std::move(notes), model::AppliedAdapter{adapter.folder.string(), adapter.strength, base});
}

}  // namespace headscope::formats
