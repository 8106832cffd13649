// Trace: what every step of one pass gave, and the document it was computed from.
//
// `scores` and `masked_scores` are not stored: `tile` computes any part of them with the step's own
// code, bit for bit what storing would have held. `q k v concat` are views of `q_proj … heads`.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/document.h"
#include "core/tensor_id.h"

namespace headscope {

enum class StepId { project, split, score, scale, mask, softmax, weigh, concat, output };
inline constexpr std::size_t kStepCount = 9;

struct StepRun {
  bool ran = false;  // false: its operands had not changed, the result before stands
  double ms = 0.0;
};

struct FullyMaskedRow {
  Index item, head, row;
  bool operator==(const FullyMaskedRow&) const = default;
};

class Trace {
 public:
  explicit Trace(DocumentPtr document);

  const Document& document() const { return *document_; }
  const DocumentPtr& documentPtr() const { return document_; }
  const AttentionConfig& config() const { return document_->config; }

  /// An operand or a stored result; empty for `scores` and `masked_scores` (see `tile`), and for
  /// `memory` in self-attention.
  const Tensor& tensor(TensorId id) const { return tensors_[static_cast<std::size_t>(id)]; }

  /// For the pass that is filling the trace: a step's result, or one kept from the trace before.
  void put(TensorId id, Tensor tensor) {
    tensors_[static_cast<std::size_t>(id)] = std::move(tensor);
  }

  /// For the pass that is filling the trace: to write a step's result.
  Tensor& mutableTensor(TensorId id) { return tensors_[static_cast<std::size_t>(id)]; }
  MatrixView cells(TensorId id, const Box& box) { return mutableTensor(id).mutableMatrixOf(box); }

  /// A weight matrix packed for products (see packWeights in steps/linear.h); empty where no
  /// product needed all of it.
  const Tensor& packed(TensorId weight) const { return packed_[packedPlace(weight)]; }
  void putPacked(TensorId weight, Tensor packed) {
    packed_[packedPlace(weight)] = std::move(packed);
  }

  /// What of a tensor differs from the trace that the pass went on from; all without one.
  const Change& change(TensorId id) const { return changes_[static_cast<std::size_t>(id)]; }
  void setChange(TensorId id, Change c) { changes_[static_cast<std::size_t>(id)] = std::move(c); }

  /// The number of the pass that gave a tensor its present values: where two traces of one session
  /// agree in it, the values are the same.
  std::uint64_t pass() const { return pass_; }
  void setPass(std::uint64_t pass) { pass_ = pass; }
  std::uint64_t revision(TensorId id) const { return revisions_[static_cast<std::size_t>(id)]; }
  void setRevision(TensorId id, std::uint64_t r) { revisions_[static_cast<std::size_t>(id)] = r; }

  /// Any cell of any tensor.
  float value(const CellRef& cell) const;

  /// Rows [row, row + rows) × columns [col, col + cols) of a matrix into `out` (row-major, dense).
  /// item and head as in CellRef.
  void tile(TensorId id, Index item, Index head, Index row, Index rows, Index col, Index cols,
            float* out) const;

  /// The tensor whole, stored or not: for saving and for tests.
  Tensor materialise(TensorId id) const;

  /// Some result was made from the one before, not by a whole pass: equal to rounding.
  bool patched = false;

  /// How a result was patched since all of it was computed: in so many passes, and the largest
  /// magnitude that its values went through, which their rounding is relative to.
  struct Patches {
    int passes = 0;
    float through = 0.0F;
  };
  std::array<Patches, kTensorCount> patches{};

  std::array<StepRun, kStepCount> steps{};
  std::vector<FullyMaskedRow> fullyMaskedRows;
  double ms = 0.0;

  int stepsRun() const;

 private:
  static std::size_t packedPlace(TensorId weight) {
    return static_cast<std::size_t>(weight) - static_cast<std::size_t>(TensorId::wQ);
  }

  DocumentPtr document_;
  std::array<Tensor, kTensorCount> tensors_;
  std::array<Change, kTensorCount> changes_;
  std::array<Tensor, 4> packed_;  // W_Q, W_K, W_V, W_O
  std::array<std::uint64_t, kTensorCount> revisions_{};
  std::uint64_t pass_ = 0;
};

using TracePtr = std::shared_ptr<const Trace>;

}  // namespace headscope
