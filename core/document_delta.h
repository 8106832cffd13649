// DocumentDelta: a document kept as what sets it apart from its neighbour in the history.
// DocumentWalk: goes from document to document over such deltas.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include "core/document.h"
#include "core/pin_patch.h"
#include "core/tensor_patch.h"

namespace headscope {

/// X, the memory and the eight weights, in this order.
using DocumentTensors = std::array<Tensor, 10>;

/// The way from one document to another. Tensors that both share are left out, those that differ
/// in few cells are patches; so are the pins.
class DocumentDelta {
 public:
  DocumentDelta(const Document& from, const DocumentPtr& to);

  /// What it keeps in memory that the document it starts from does not.
  Index bytes() const { return bytes_; }

 private:
  friend class DocumentWalk;
  struct Change {
    std::size_t tensor;  // in DocumentTensors
    std::variant<TensorPatch, Tensor> to;
  };

  void measure(const Document& from);

  Document rest_;  // all but tensors and pins; no input where at most X and the memory differ
  std::vector<Change> changes_;
  PinPatch pins_;
  std::weak_ptr<const Document> whole_;  // somebody may hold it still
  Index bytes_ = 0;
};

class DocumentWalk {
 public:
  explicit DocumentWalk(const DocumentPtr& start);

  /// Goes over a delta that starts at the present document, and turns it into the way back.
  /// A large patch copies its tensor, the first only, however many deltas are crossed.
  void cross(DocumentDelta& delta);

  /// The present document; the very one that was left here if it is still held and differs in no
  /// tensor but those that were patched on the way.
  DocumentPtr document() const;

 private:
  bool leadsTo(const Document& document) const;

  Document rest_;  // without weights; its input's tensors may be another document's
  DocumentTensors tensors_;
  std::array<bool, std::tuple_size_v<DocumentTensors>> copied_{};
  std::weak_ptr<const Document> whole_;
};

}  // namespace headscope
