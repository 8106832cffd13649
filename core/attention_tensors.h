// Attention tensors: every operand and result of one attention layer, by TensorId. The steps read
// their operands from here and write their results here; who fills in the operands (a document, a
// trainer, a layer of a model) is not theirs to know.
//
// `q k v concat` are views of `q_proj … heads`.
#pragma once

#include <array>
#include <utility>

#include "core/layer_tensors.h"
#include "core/pins.h"

namespace headscope {

class AttentionTensors : public LayerTensors {
 public:
  /// Both must live as long as this does.
  AttentionTensors(const AttentionConfig& config, const Pins& pins)
      : LayerTensors(config), pins_(&pins) {}

  const Pins& pins() const { return *pins_; }

  /// A weight matrix packed for products (see packPanel in steps/linear.h); empty where no product
  /// needed all of it.
  const Tensor& packed(TensorId weight) const { return packed_[packedPlace(weight)]; }
  void putPacked(TensorId weight, Tensor packed) {
    packed_[packedPlace(weight)] = std::move(packed);
  }

  /// Keys or values of the heads as the products of a pass read them: each head's rows next to each
  /// other where they were put so, else as they lie.
  const Tensor& dense(TensorId id) const {
    const auto& [of, heads] = dense_[id == TensorId::v ? 1 : 0];
    return of == id && !heads.empty() ? heads : tensor(id);
  }
  void putDense(TensorId id, Tensor heads) {
    dense_[id == TensorId::v ? 1 : 0] = {id, std::move(heads)};
  }

  void tile(TensorId id, Index item, Index head, Index row, Index rows, Index col, Index cols,
            float* out) const override;

 private:
  static std::size_t packedPlace(TensorId weight) {
    return static_cast<std::size_t>(weight) - static_cast<std::size_t>(TensorId::wQ);
  }

  const Pins* pins_;
  std::array<Tensor, 4> packed_;                      // W_Q, W_K, W_V, W_O
  std::array<std::pair<TensorId, Tensor>, 2> dense_;  // of keys, of values; only within a pass
};

}  // namespace headscope
