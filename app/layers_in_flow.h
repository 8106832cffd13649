// Layers in Flow: finds the documents of the history that are layers of the model, so that the
// model runs the edits made in them.
#pragma once

#include <deque>
#include <memory>

#include "core/model/model_document.h"

namespace headscope {

class LayersInFlow {
 public:
  struct Opened {
    model::ModelDocumentPtr of;  // the model on the text that the layer was opened on
    Index layer = 0;
    DocumentPtr document;  // the document as it was opened; its edits share its source
  };

  /// The number of layers that are kept. The model no longer runs the edits of one that was opened
  /// before them and to which undo returns.
  static constexpr std::size_t kMost = 64;

  /// Records a layer of the model that replaces the shown document.
  void opened(Opened layer);

  /// The layers that were opened last, the oldest first.
  const std::deque<Opened>& all() const { return opened_; }
  /// How many layers were ever opened.
  std::size_t count() const { return count_; }

  /// Returns the layer that this document is or edits; null: none, or its input has changed.
  const Opened* layerOf(const Document& document) const;

  /// The newest document passed to `changed`.
  const DocumentPtr& followed() const { return followed_; }
  /// Makes the next call of `changed` treat its document as a new one.
  void followAgain() { followed_ = nullptr; }

  /// Call it once a frame with the newest document. Returns the layer if the document of a layer
  /// has changed and the model must run it; else null.
  const Opened* changed(const DocumentPtr& newest);

 private:
  std::deque<Opened> opened_;
  std::size_t count_ = 0;
  DocumentPtr followed_;
};

}  // namespace headscope
