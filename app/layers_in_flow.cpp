#include "app/layers_in_flow.h"

#include <algorithm>
#include <utility>

#include "core/document/document.h"

namespace headscope {

void LayersInFlow::opened(Opened layer) {
  opened_.push_back(std::move(layer));
  if (opened_.size() > kMost) opened_.pop_front();
  ++count_;
}

const LayersInFlow::Opened* LayersInFlow::layerOf(const Document& document) const {
  const auto found = std::find_if(opened_.rbegin(), opened_.rend(), [&](const Opened& layer) {
    return layer.document->source == document.source;
  });
  if (found == opened_.rend()) return nullptr;
  return document.input->x.sameAs(found->document->input->x) ? &*found : nullptr;
}

const LayersInFlow::Opened* LayersInFlow::changed(const DocumentPtr& newest) {
  if (newest == followed_) return nullptr;
  const bool fromLayer = followed_ != nullptr && followed_->source == newest->source;
  followed_ = newest;
  const Opened* layer = layerOf(*newest);
  // as opened, the document equals the model's layer, unless the layer was edited since
  const bool asOpened = layer != nullptr && newest == layer->document && !fromLayer;
  return asOpened ? nullptr : layer;
}

}  // namespace headscope
