#include "core/formats/model_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/formats/attention_file.h"
#include "core/formats/found_model.h"
#include "core/formats/gguf_model.h"
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
  DirectoryWeights(WeightFiles files, ModelDescription description, NamePrefix prefix)
      : files_(std::move(files)),
        description_(std::move(description)),
        prefix_(std::move(prefix)),
        used_(checkedNames()) {
    countParameters(used_);
  }

  /// The names of the tensors that it reads.
  const std::set<std::string>& used() const { return used_; }
  /// Counts the parameters of an encoder that belongs to this decoder, and decides about the
  /// tensors that neither reads; an encoder may be null.
  void finish(const DirectoryWeights* encoder, ModelNotes& notes) {
    std::set<std::string> used = used_;
    if (encoder != nullptr) {
      used.insert(encoder->used().begin(), encoder->used().end());
      countParameters(used);
    }
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
  /// Checks all parts, and returns the names of their tensors.
  std::set<std::string> checkedNames() const {
    std::set<std::string> used;
    PartsReader checker = parts();
    checker.checkOnly(used);
    checker.embedding();
    for (Index layer = 0; layer < description_.config.layers; ++layer) checker.layer(layer);
    checker.readout();
    return used;
  }

  /// Counts the parameters, without those of a masked-word head.
  void countParameters(const std::set<std::string>& used) {
    parameters_ = 0;
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
  std::set<std::string> used_;
  Index parameters_ = 0;
};

/// The description with the names that the files give the embedding: a model of two stacks, or its
/// encoder, may be saved with those of its stacks alone (MADLAD-400).
ModelDescription asStored(ModelDescription description, const WeightFiles& files) {
  const auto stored = [&](const char* stem) {
    const std::string name = fmt::format("{}.weight", stem);
    return std::ranges::any_of(files.names(), [&](const std::string& each) {
      return each == name || each.ends_with("." + name);
    });
  };
  const auto [ofEncoder, ofDecoder] = description.names.repeatsOfTokens;
  const char* own = description.encoder != nullptr ? ofDecoder : ofEncoder;
  if (own == nullptr || stored(description.names.tokens) || !stored(own)) return description;
  if (description.encoder == nullptr) {
    description.names.tokens = ofEncoder;
    description.names.repeatsOfTokens = {};
    return description;
  }
  auto encoder = *description.encoder;
  description.names.tokens = ofDecoder;
  encoder.names.tokens = stored(ofEncoder) ? ofEncoder : ofDecoder;
  description.names.repeatsOfTokens = {};
  description.encoder = std::make_shared<const ModelDescription>(std::move(encoder));
  return description;
}

/// Opens a model whose files are found.
model::ModelPtr openFound(const FoundModel& found, const std::string& name, Index layerBudgetBytes,
                          ModelNotes notes, std::optional<model::AppliedAdapter> adapter) {
  const ModelDescription description = asStored(found.description, found.files);
  const NamePrefix prefix = prefixIn(found.files, description);
  auto own = std::make_unique<DirectoryWeights>(found.files, description, prefix);
  std::unique_ptr<DirectoryWeights> ofEncoder;
  if (description.encoder != nullptr) {
    ofEncoder = std::make_unique<DirectoryWeights>(found.files, *description.encoder, prefix);
    layerBudgetBytes /= 2;
  }
  own->finish(ofEncoder.get(), notes);
  model::ModelPtr encoder;
  if (ofEncoder != nullptr) {
    encoder = std::make_shared<const model::Model>(name, description.encoder->config,
                                                   std::move(ofEncoder), layerBudgetBytes);
  }
  return std::make_shared<const model::Model>(name, description.config, std::move(own),
                                              layerBudgetBytes, std::move(notes),
                                              std::move(adapter), std::move(encoder));
}

}  // namespace

bool isModelFile(const fs::path& path) { return isGguf(path) || isAttentionFile(path); }

model::ModelPtr openModel(const fs::path& folder, Index layerBudgetBytes,
                          const AdapterChoice& choice, Encoder encoder) {
  if (isAttentionFile(folder)) return openAttentionFile(folder, layerBudgetBytes);
  const auto [directory, adapter] = adaptedFolder(folder, choice);
  ModelNotes notes;
  FoundModel found = findModel(directory, notes, encoder);
  const model::ModelPtr base = openFound(found, found.name, layerBudgetBytes, notes, {});
  if (adapter.folder.empty()) return base;
  found.files.adapt(adapter, found.description.names.inByOut, notes);
  return openFound(found, fmt::format("{} + {}", found.name, modelName(adapter.folder)),
                   layerBudgetBytes, std::move(notes),
                   model::AppliedAdapter{adapter.folder.string(), adapter.strength, base});
}

}  // namespace headscope::formats
