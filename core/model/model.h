// Model: a transformer whose weights are read when they are needed: the embedding and the readout
// once, each layer when it runs. Layers are kept within a memory budget.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/model/model_notes.h"
#include "core/model/model_weights.h"

namespace headscope::model {

using LayerWeightsPtr = std::shared_ptr<const LayerWeights>;

class Model;
using ModelPtr = std::shared_ptr<const Model>;

/// The LoRA adapter in a model's weights.
struct AppliedAdapter {
  std::string folder;
  double strength = 1.0;  // 0 to 1
  ModelPtr base;          // the model without it
};

/// Safe on any thread.
class Model {
 public:
  /// Messages call the model `name`. Kept layers take at most `layerBudgetBytes` together; one is
  /// always kept.
  Model(std::string name, ModelConfig config, std::unique_ptr<const WeightReader> weights,
        Index layerBudgetBytes, ModelNotes notes = {},
        std::optional<AppliedAdapter> adapter = std::nullopt, ModelPtr encoder = nullptr);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const std::string& name() const { return name_; }
  const ModelConfig& config() const { return config_; }
  /// The encoder of an encoder–decoder model, whose last hidden state is the memory of the decoder,
  /// this model; null for other models.
  const ModelPtr& encoder() const { return encoder_; }
  /// The contents of the model's folder that the pass leaves out.
  const ModelNotes& notes() const { return notes_; }
  /// Null without an adapter.
  const AppliedAdapter* adapter() const { return adapter_ ? &*adapter_ : nullptr; }
  Index parameters() const { return weights_->parameters(); }

  std::shared_ptr<const Embedding> embedding() const;
  LayerWeightsPtr layer(Index layer) const;
  bool hasReadout() const { return weights_->hasReadout(); }
  /// The readout, with the model's own decoder matrix or the embedding's.
  std::shared_ptr<const Readout> readout() const;

  /// Returns whether the weights on the disk have changed since they were opened. Reading a part
  /// that is not kept then fails. Queries the file system.
  bool changedOnDisk() const { return weights_->changedOnDisk(); }

  /// The number of layers that are kept now.
  Index layersKept() const;

 private:
  struct Kept {
    Index layer;
    LayerWeightsPtr weights;
  };

  std::string name_;
  ModelConfig config_;
  std::unique_ptr<const WeightReader> weights_;
  Index layerBudget_;
  ModelNotes notes_;
  std::optional<AppliedAdapter> adapter_;
  ModelPtr encoder_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Embedding> embedding_;
  mutable std::shared_ptr<const Readout> readout_;
  mutable std::list<Kept> layers_;  // most recently used first
};

}  // namespace headscope::model
