// Attention tensors: every operand and result of one attention layer, by TensorId. The steps read
// their operands from here and write their results here; who fills in the operands (a document, a
// trainer, a layer of a model) is not theirs to know.
//
// `scores` and `masked_scores` are not stored: `tile` computes any part of them with the steps' own
// code, bit for bit what storing would have held. `q k v concat` are views of `q_proj … heads`.
#pragma once

#include <array>
#include <utility>

#include "core/pins.h"

namespace headscope {

/// True for the results that are handed out by tile and never stored.
constexpr bool isComputedOnDemand(TensorId id) {
  return id == TensorId::scores || id == TensorId::maskedScores;
}

class AttentionTensors {
 public:
  /// Both must live as long as this does.
  AttentionTensors(const AttentionConfig& config, const Pins& pins)
      : config_(&config), pins_(&pins) {}

  const AttentionConfig& config() const { return *config_; }
  const Pins& pins() const { return *pins_; }

  /// An operand or a stored result; empty for `scores` and `masked_scores` (see `tile`), and for
  /// `memory` in self-attention.
  const Tensor& tensor(TensorId id) const { return tensors_[static_cast<std::size_t>(id)]; }
  void put(TensorId id, Tensor tensor) {
    tensors_[static_cast<std::size_t>(id)] = std::move(tensor);
  }

  /// To write a step's result.
  MatrixView cells(TensorId id, const Box& box) { return mutableTensor(id).mutableMatrixOf(box); }
  Tensor& mutableTensor(TensorId id) { return tensors_[static_cast<std::size_t>(id)]; }

  /// A weight matrix packed for products (see packPanel in steps/linear.h); empty where no product
  /// needed all of it.
  const Tensor& packed(TensorId weight) const { return packed_[packedPlace(weight)]; }
  void putPacked(TensorId weight, Tensor packed) {
    packed_[packedPlace(weight)] = std::move(packed);
  }

  /// Any cell of any tensor.
  float value(const CellRef& cell) const;

  /// Rows [row, row + rows) × columns [col, col + cols) of a matrix into `out` (row-major, dense).
  /// item and head as in CellRef.
  void tile(TensorId id, Index item, Index head, Index row, Index rows, Index col, Index cols,
            float* out) const;

  /// The tensor whole, stored or not: for saving and for tests.
  Tensor materialise(TensorId id) const;

 private:
  static std::size_t packedPlace(TensorId weight) {
    return static_cast<std::size_t>(weight) - static_cast<std::size_t>(TensorId::wQ);
  }

  const AttentionConfig* config_;
  const Pins* pins_;
  std::array<Tensor, kTensorCount> tensors_;
  std::array<Tensor, 4> packed_;  // W_Q, W_K, W_V, W_O
};

}  // namespace headscope
