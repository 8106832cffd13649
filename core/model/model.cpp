#include "core/model/model.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "core/attention/config.h"

namespace headscope::model {

void LayerWeights::complete(AttentionConfig& config) const {
  config.headNorm = headNorm;
  config.sinks = sinks;
  config.relative = relative;
  config.pairBias = pairBias;
}

Index LayerWeights::bytes() const {
  Index count = 0, ofNetworks = 0;
  const auto add = [&](std::initializer_list<const Tensor*> tensors) {
    for (const Tensor* tensor : tensors) {
      if (!tensor->empty()) count += tensor->size();
    }
  };
  const auto addNetwork = [&](const FeedForward& f) {
    ofNetworks += f.gate.bytes() + f.up.bytes() + f.down.bytes();
    add({&f.gateBias, &f.upBias, &f.downBias});
  };
  for (const NormWeights* norm :
       {&attentionNorm, &feedForwardNorm, &attentionOutputNorm, &feedForwardOutputNorm}) {
    add({&norm->gain, &norm->bias});
  }
  const Weights& w = attention;
  add({&w.wQ, &w.wK, &w.wV, &w.wO, &w.bQ, &w.bK, &w.bV, &w.bO});
  add({&latent.queries, &latent.keys, &experts.router});
  addNetwork(feedForward);
  addNetwork(experts.shared);
  std::ranges::for_each(experts.each, addNetwork);
  return ofNetworks + count * static_cast<Index>(sizeof(float));
}

bool LayerWeights::keptInHalves() const {
  return !feedForward.up.halves.empty() ||
         (!experts.each.empty() && !experts.each.front().up.halves.empty());
}

Model::Model(std::string name, ModelConfig config, std::unique_ptr<const WeightReader> weights,
             Index layerBudgetBytes, ModelNotes notes, std::optional<AppliedAdapter> adapter,
             ModelPtr encoder)
    : name_(std::move(name)),
      config_(std::move(config)),
      weights_(std::move(weights)),
      layerBudget_(layerBudgetBytes),
      notes_(std::move(notes)),
      adapter_(std::move(adapter)),
      encoder_(std::move(encoder)) {}

std::shared_ptr<const Embedding> Model::embedding() const {
  const std::lock_guard lock(mutex_);
  if (embedding_ == nullptr) embedding_ = std::make_shared<const Embedding>(weights_->embedding());
  return embedding_;
}

std::shared_ptr<const Readout> Model::readout() const {
  const auto embedded = embedding();
  const std::lock_guard lock(mutex_);
  if (readout_ == nullptr) {
    Readout read = weights_->readout();
    if (read.decoder.empty()) read.decoder = embedded->tokens;
    readout_ = std::make_shared<const Readout>(std::move(read));
  }
  return readout_;
}

LayerWeightsPtr Model::layer(Index layer) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(layers_.begin(), layers_.end(),
                                  [layer](const Kept& kept) { return kept.layer == layer; });
  if (found != layers_.end()) {
    layers_.splice(layers_.begin(), layers_, found);
    return layers_.front().weights;
  }
  layers_.push_front({layer, std::make_shared<const LayerWeights>(weights_->layer(layer))});
  const Index each = std::max<Index>(1, layers_.front().weights->bytes());
  const auto most = static_cast<std::size_t>(std::max<Index>(1, layerBudget_ / each));
  while (layers_.size() > most) layers_.pop_back();
  return layers_.front().weights;
}

Index Model::layersKept() const {
  const std::lock_guard lock(mutex_);
  return std::ssize(layers_);
}

}  // namespace headscope::model
