// Weight tensors: the tensors of a layer's weights as a table. Those of the gate are empty where
// the layer has none.
//
//   for (const WeightTensor& w : kWeightTensors) trace.put(w.id, weights.*w.tensor);
#pragma once

#include <algorithm>
#include <array>

#include "core/attention/tensor_id.h"
#include "core/attention/weights.h"

namespace headscope {

struct WeightTensor {
  TensorId id;
  Tensor Weights::*tensor;
};
inline constexpr std::array kWeightTensors{
    WeightTensor{TensorId::wQ, &Weights::wQ}, WeightTensor{TensorId::wK, &Weights::wK},
    WeightTensor{TensorId::wV, &Weights::wV}, WeightTensor{TensorId::wO, &Weights::wO},
    WeightTensor{TensorId::bQ, &Weights::bQ}, WeightTensor{TensorId::bK, &Weights::bK},
    WeightTensor{TensorId::bV, &Weights::bV}, WeightTensor{TensorId::bO, &Weights::bO},
    WeightTensor{TensorId::wG, &Weights::wG}, WeightTensor{TensorId::bG, &Weights::bG}};

/// The bias of a linear layer.
constexpr bool isBias(TensorId id) {
  return (id >= TensorId::bQ && id <= TensorId::bO) || id == TensorId::bG;
}

/// Returns whether the two share all tensors: the same storage, not merely equal values.
inline bool sameTensors(const Weights& a, const Weights& b) {
  return std::ranges::all_of(
      kWeightTensors, [&](const WeightTensor& w) { return (a.*w.tensor).sameAs(b.*w.tensor); });
}

}  // namespace headscope
