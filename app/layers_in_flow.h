// Layers in Flow: which documents of the history are layers of the model, so that what is edited in
// one of them is run in the model from there on.
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
    DocumentPtr document;  // as it was opened; others with its source are edits of it
  };

  /// A layer of the model takes the place of the document that is shown.
  void opened(Opened layer) { opened_.push_back(std::move(layer)); }

  /// All that were opened, the oldest first.
  const std::deque<Opened>& all() const { return opened_; }

  /// Of what layer this document is; null: of none, or of one that has another input now.
  const Opened* layerOf(const Document& document) const;

  /// The newest document that `changed` was given.
  const DocumentPtr& followed() const { return followed_; }
  /// The next call of `changed` takes its document for another one than before.
  void followAgain() { followed_ = nullptr; }

  /// Once a frame, with the newest document: the layer where it is another one of a layer than
  /// before, and so to be run in the model; null else.
  const Opened* changed(const DocumentPtr& newest);

 private:
  std::deque<Opened> opened_;  // which stay where they are
  DocumentPtr followed_;
};

}  // namespace headscope
