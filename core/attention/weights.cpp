#include "core/attention/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/attention/weight_tensors.h"
#include "core/base/random.h"
#include "core/base/translation.h"
#include "core/tensor/finite.h"
#include "core/tensor/random_tensors.h"

namespace headscope {
namespace {

struct InitName {
  WeightInit init;
  std::string_view name;
};
constexpr std::array kInitNames{
    InitName{WeightInit::xavier, "xavier"}, InitName{WeightInit::normal, "normal"},
    InitName{WeightInit::identity, "identity"}, InitName{WeightInit::designed, "designed"},
    InitName{WeightInit::learned, "learned"}};

Tensor identity(Shape shape) {
  Tensor tensor = Tensor::zeros(std::move(shape));
  MatrixView matrix = tensor.mutableMatrix();
  for (Index i = 0; i < std::min(matrix.rows, matrix.cols); ++i) matrix(i, i) = 1.0F;
  return tensor;
}

/// Glorot's bound for a projection that PyTorch stores as a separate matrix.
double glorot(const Shape& shape) {
  return std::sqrt(6.0 / static_cast<double>(shape[0] + shape[1]));
}

/// The bound of a matrix's uniform distribution in nn.MultiheadAttention.
double xavierBound(TensorId id, const AttentionConfig& config) {
  const Shape shape = shapeOf(id, config);
  if (id == TensorId::wO) return 1.0 / std::sqrt(static_cast<double>(shape[1]));
  // Where all three have one shape, PyTorch draws them as one (3D, D) matrix: its bound is smaller.
  const bool combined = shapeOf(TensorId::wQ, config) == shapeOf(TensorId::wK, config) &&
                        config.queryWidth() == config.dModel;
  return combined ? glorot({3 * shape[0], shape[1]}) : glorot(shape);
}

/// Draws the tensors of `weights` that `config` has.
void drawTensors(Weights& weights, std::span<const WeightTensor> tensors,
                 const AttentionConfig& config, WeightInit init, std::uint64_t seed) {
  std::vector<Draw> draws;
  for (const WeightTensor& w : tensors) {
    if (!has(config, w.id)) continue;
    const Shape shape = shapeOf(w.id, config);
    Tensor& tensor = weights.*w.tensor;
    if (init != WeightInit::normal && isBias(w.id)) {
      tensor = Tensor::zeros(shape);
      if (w.id == TensorId::bG) std::fill_n(tensor.mutableData(), tensor.size(), 1.0F);
    } else if (init == WeightInit::identity) {
      tensor = identity(shape);
    } else {
      tensor = Tensor::uninitialised(shape);
      const RandomStream stream(seed, info(w.id).name);
      draws.push_back(init == WeightInit::normal
                          ? Draw{&tensor, stream, Distribution::normal, 0.1F}
                          : Draw{&tensor, stream, Distribution::uniform,
                                 static_cast<float>(xavierBound(w.id, config))});
    }
  }
  draw(draws);
}

}  // namespace

std::string_view toString(WeightInit init) {
  return std::find_if(kInitNames.begin(), kInitNames.end(),
                      [init](const InitName& entry) { return entry.init == init; })
      ->name;
}

WeightInit weightInitFromString(std::string_view name) {
  for (const InitName& entry : kInitNames) {
    if (entry.name == name) return entry.init;
  }
  throw UserError(trFormat(
      "unknown initialisation \"{}\"; use xavier, normal, identity, designed or learned", name));
}

Weights drawWeights(const AttentionConfig& config, WeightInit init, std::uint64_t seed) {
  Weights weights;
  drawTensors(weights, kWeightTensors, config, init, seed);
  return weights;
}

bool fitGate(Weights& weights, const AttentionConfig& config, WeightInit init, std::uint64_t seed) {
  if (!config.switches->gate) weights.wG = weights.bG = {};
  if (!config.switches->gate || !weights.wG.empty()) return false;
  const std::array gate{WeightTensor{TensorId::wG, &Weights::wG},
                        WeightTensor{TensorId::bG, &Weights::bG}};
  drawTensors(weights, gate, config, init, seed);
  return true;
}

Index headDimOf(const Weights& weights, Index numHeads) {
  const Index queryWidth = weights.wQ.dim(0);
  if (queryWidth == weights.wQ.dim(1)) return 0;
  return std::max<Index>(1, queryWidth / std::max<Index>(1, numHeads));
}

void checkWeights(const Weights& weights, const AttentionConfig& config, const std::string& where) {
  for (const WeightTensor& w : kWeightTensors) {
    const Shape expected = has(config, w.id) ? shapeOf(w.id, config) : Shape{};
    const Shape found = (weights.*w.tensor).shape();
    if (found == expected) continue;
    throw UserError(
        trFormat("{}: expected {}, found {} in {}; set d_model and the heads to the sizes of "
                 "these weights, or load others",
                 info(w.id).name, toString(expected), toString(found), where));
  }
  for (const WeightTensor& w : kWeightTensors) {
    requireFinite(weights.*w.tensor, std::string(info(w.id).name), where);
  }
}

}  // namespace headscope
