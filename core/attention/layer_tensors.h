// Layer tensors: one tensor for each operand and result of an attention layer, by TensorId: the
// values of a pass (AttentionTensors) or its gradients (Gradients), read in the same way.
//
// `scores` and `masked_scores` are not stored: `tile` computes any part of them with the steps' own
// code, with the bits that stored tensors would have.
#pragma once

#include <array>
#include <utility>

#include "core/attention/tensor_id.h"

namespace headscope {

/// Returns whether a result is computed by `tile` and never stored.
constexpr bool isComputedOnDemand(TensorId id) {
  return id == TensorId::scores || id == TensorId::maskedScores;
}
class LayerTensors {
 public:
  /// The configuration must live as long as this does.
  explicit LayerTensors(const AttentionConfig& config) : config_(&config) {}
  virtual ~LayerTensors() = default;

  const AttentionConfig& config() const { return *config_; }
  // The sizes of the layer, for readers that need nothing else of its configuration.
  Index batch() const;
  Index numHeads() const;
  Index queries() const;  // T
  Index keys() const;     // M

  /// The tensor of an operand or stored result. Empty for `scores` and `masked_scores` (see
  /// `tile`), for scores and weights that the pass does not store, and for `memory` in
  /// self-attention.
  const Tensor& tensor(TensorId id) const { return tensors_[static_cast<std::size_t>(id)]; }
  void put(TensorId id, Tensor tensor) {
    tensors_[static_cast<std::size_t>(id)] = std::move(tensor);
  }

  /// For the step that fills it in.
  Tensor& mutableTensor(TensorId id) { return tensors_[static_cast<std::size_t>(id)]; }

  /// The value of any cell of any tensor.
  virtual float value(const CellRef& cell) const;

  /// Copies rows [row, row + rows) × columns [col, col + cols) of a matrix to `out` (row-major,
  /// dense). item and head as in CellRef.
  virtual void tile(TensorId id, Index item, Index head, Index row, Index rows, Index col,
                    Index cols, float* out) const;

  /// The whole tensor, stored or not: for saving and for tests.
  Tensor materialise(TensorId id) const;

 protected:
  LayerTensors(const LayerTensors&) = default;
  LayerTensors& operator=(const LayerTensors&) = default;

 private:
  const AttentionConfig* config_;
  std::array<Tensor, kEveryTensorCount> tensors_;
};

}  // namespace headscope
