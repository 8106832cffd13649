#include "core/attention/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/random.h"
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

struct Shapes {
  Shape q, kv, o, bq, bkv, bo;

  explicit Shapes(const AttentionConfig& c)
      : q{c.queryWidth(), c.dModel},
        kv{c.dKv(), c.kvWidth()},
        o{c.dModel, c.queryWidth()},
        bq{c.queryWidth()},
        bkv{c.dKv()},
        bo{c.dModel} {}
};

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
  throw UserError(fmt::format(
      "unknown initialisation \"{}\"; use xavier, normal, identity, designed or learned", name));
}

Weights drawWeights(const AttentionConfig& config, WeightInit init, std::uint64_t seed) {
  const Shapes shape(config);
  Weights w;
  std::vector<Draw> draws;
  const auto drawn = [&](Tensor& target, const Shape& of, std::string_view name, Distribution as,
                         double scale) {
    target = Tensor::uninitialised(of);
    draws.push_back({&target, RandomStream(seed, name), as, static_cast<float>(scale)});
  };
  if (init == WeightInit::normal) {
    const auto normal = [&](Tensor& target, const Shape& of, std::string_view name) {
      drawn(target, of, name, Distribution::normal, 0.1);
    };
    normal(w.wQ, shape.q, "W_Q");
    normal(w.wK, shape.kv, "W_K");
    normal(w.wV, shape.kv, "W_V");
    normal(w.wO, shape.o, "W_O");
    normal(w.bQ, shape.bq, "b_Q");
    normal(w.bK, shape.bkv, "b_K");
    normal(w.bV, shape.bkv, "b_V");
    normal(w.bO, shape.bo, "b_O");
    draw(draws);
    return w;
  }
  w.bQ = Tensor::zeros(shape.bq);
  w.bK = Tensor::zeros(shape.bkv);
  w.bV = Tensor::zeros(shape.bkv);
  w.bO = Tensor::zeros(shape.bo);
  if (init == WeightInit::identity) {
    w.wQ = identity(shape.q);
    w.wK = identity(shape.kv);
    w.wV = identity(shape.kv);
    w.wO = identity(shape.o);
    return w;
  }
  // Where all three have one shape, PyTorch draws them as one (3D, D) matrix: its bound is smaller.
  const bool combined = shape.q == shape.kv && config.queryWidth() == config.dModel;
  const double boundQ = combined ? glorot({3 * shape.q[0], shape.q[1]}) : glorot(shape.q);
  const double boundKv = combined ? boundQ : glorot(shape.kv);
  drawn(w.wQ, shape.q, "W_Q", Distribution::uniform, boundQ);
  drawn(w.wK, shape.kv, "W_K", Distribution::uniform, boundKv);
  drawn(w.wV, shape.kv, "W_V", Distribution::uniform, boundKv);
  drawn(w.wO, shape.o, "W_O", Distribution::uniform,
        1.0 / std::sqrt(static_cast<double>(shape.o[1])));
  draw(draws);
  return w;
}

Index headDimOf(const Weights& weights, Index numHeads) {
  const Index queryWidth = weights.wQ.dim(0);
  if (queryWidth == weights.wQ.dim(1)) return 0;
  return std::max<Index>(1, queryWidth / std::max<Index>(1, numHeads));
}

void checkWeights(const Weights& weights, const AttentionConfig& config, const std::string& where) {
  struct Item {
    const char* name;
    const Tensor& tensor;
    const Shape& expected;
  };
  const Shapes shape(config);
  const std::array items{Item{"W_Q", weights.wQ, shape.q},   Item{"W_K", weights.wK, shape.kv},
                         Item{"W_V", weights.wV, shape.kv},  Item{"W_O", weights.wO, shape.o},
                         Item{"b_Q", weights.bQ, shape.bq},  Item{"b_K", weights.bK, shape.bkv},
                         Item{"b_V", weights.bV, shape.bkv}, Item{"b_O", weights.bO, shape.bo}};
  for (const Item& item : items) {
    if (item.tensor.shape() == item.expected) continue;
    throw UserError(
        fmt::format("{}: expected {}, found {} in {}; set d_model and the heads to the sizes of "
                    "these weights, or load others",
                    item.name, toString(item.expected), toString(item.tensor.shape()), where));
  }
  for (const Item& item : items) requireFinite(item.tensor, item.name, where);
}

}  // namespace headscope
