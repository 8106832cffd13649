// DocumentDelta: a document stored as its differences from its neighbour in the history.
// DocumentWalk: goes from document to document over such deltas.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/attention/pins.h"
#include "core/attention/weight_tensors.h"
#include "core/document/fwd.h"
#include "core/tensor/tensor.h"

namespace headscope {

// TensorPatch: the few cells in which one tensor differs from another of its shape.

class TensorPatch {
 public:
  /// The patch that turns `from` into `to`, bit for bit (−0 is not 0). None where a patch saves
  /// nothing: other shapes, views with gaps, or more than 1/kMinCellsPerPatched of the cells.
  static std::optional<TensorPatch> between(const Tensor& from, const Tensor& to);
  static constexpr Index kMinCellsPerPatched = 8;

  /// Writes its cells into `tensor` (contiguous, not shared) and keeps the replaced ones:
  /// afterwards it is the reverse patch.
  void exchange(Tensor& tensor);

  bool empty() const { return cells_.empty(); }
  Index bytes() const { return static_cast<Index>(cells_.size() * sizeof(Cell)); }

 private:
  struct Cell {
    std::uint32_t offset;
    float value;
  };
  std::vector<Cell> cells_;  // by offset
};

// PinPatch: the pins in which one document differs from another.

class PinPatch {
 public:
  PinPatch() = default;
  /// The patch that turns `from` into `to`, bit for bit (−0 is not 0).
  PinPatch(const Pins& from, const Pins& to);

  /// Applies the patch to the pins that it starts from; afterwards it is the reverse patch.
  Pins cross(const Pins& pins);

  Index bytes() const;

 private:
  std::vector<Pin> gone_, come_;  // in the order of Pins
};

/// X, the memory and the weights (kWeightTensors), in this order.
using DocumentTensors = std::array<Tensor, 2 + kWeightTensors.size()>;

/// The differences from one document to another. Shared tensors are left out; tensors that differ
/// in few cells are stored as patches, as are the pins.
class DocumentDelta {
 public:
  DocumentDelta(const Document& from, const DocumentPtr& to);

  /// The bytes that it keeps in memory beyond those of the document that it starts from.
  Index bytes() const { return bytes_; }

 private:
  friend class DocumentWalk;
  struct Change {
    std::size_t tensor;  // in DocumentTensors
    std::variant<TensorPatch, Tensor> to;
  };

  void measure(const Document& from);

  DocumentPtr rest_;  // all but tensors and pins; no input where at most X and the memory differ
  std::vector<Change> changes_;
  PinPatch pins_;
  std::weak_ptr<const Document> whole_;  // it may still be in use elsewhere
  Index bytes_ = 0;
};

class DocumentWalk {
 public:
  explicit DocumentWalk(const DocumentPtr& start);

  /// Applies a delta that starts at the present document, and turns it into its reverse. A large
  /// patch copies its tensor, the first only, however many deltas are crossed.
  void cross(DocumentDelta& delta);

  /// The present document. Returns the original object if it still exists and differs only in
  /// tensors that were patched since.
  DocumentPtr document() const;

 private:
  bool leadsTo(const Document& document) const;

  DocumentPtr rest_;  // without weights and pins; its input's tensors may be another document's
  Pins pins_;
  DocumentTensors tensors_;
  std::array<bool, std::tuple_size_v<DocumentTensors>> copied_{};
  std::weak_ptr<const Document> whole_;
};

}  // namespace headscope
