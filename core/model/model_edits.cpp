#include "core/model/model_edits.h"

#include <algorithm>

#include "core/attention/weight_tensors.h"
#include "core/model/edited_layer.h"

namespace headscope::model {
namespace {

bool isOffOrOn(float gain) { return gain == 0.0F || gain == 1.0F; }

bool sameValues(const Weights& a, const Weights& b) {
  return std::ranges::all_of(kWeightTensors, [&](const WeightTensor& w) {
    return (a.*w.tensor).values() == (b.*w.tensor).values();
  });
}

}  // namespace

bool isEdited(const ModelDocument& document, Index layer) {
  const auto found = document.edited.find(layer);
  if (found == document.edited.end()) return false;
  const EditedLayer& edited = *found->second;
  if (!edited.pins.empty() || !std::ranges::all_of(edited.config.headGains, isOffOrOn)) return true;
  const LayerWeightsPtr own = document.model->layer(layer);
  AttentionConfig config = edited.config;
  config.headGains.clear();
  if (config != ownSettings(document, layer)) return true;
  // a layer that was read again has the same values in different tensors
  return !sameTensors(edited.weights, own->attention) &&
         !sameValues(edited.weights, own->attention);
}

std::vector<HeadOfLayer> headsOff(const ModelDocument& document) {
  std::vector<HeadOfLayer> off;
  for (const auto& [layer, edited] : document.edited) {
    for (Index head = 0; head < edited->config.numHeads; ++head) {
      if (edited->config.gain(head) == 0.0F) off.push_back({layer, head});
    }
  }
  return off;
}

std::vector<Index> layersEdited(const ModelDocument& document) {
  std::vector<Index> layers;
  for (const auto& [layer, edited] : document.edited) {
    if (isEdited(document, layer)) layers.push_back(layer);
  }
  return layers;
}

}  // namespace headscope::model
