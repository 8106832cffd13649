#include "core/weights/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/finite.h"
#include "core/weights/random.h"

namespace headscope {
namespace {

struct InitName {
  WeightInit init;
  std::string_view name;
};
constexpr std::array kInitNames{
    InitName{WeightInit::xavier, "xavier"}, InitName{WeightInit::normal, "normal"},
    InitName{WeightInit::identity, "identity"}, InitName{WeightInit::designed, "designed"}};

/// Below this many values a second thread costs more than it saves.
constexpr Index kParallelFrom = 1 << 15;

/// value(n) for every n; each value depends on n alone, so threads may share the range freely.
template <typename Value>
Tensor generate(Shape shape, Value value) {
  Tensor tensor = Tensor::uninitialised(std::move(shape));
  float* out = tensor.mutableData();
  const Index count = tensor.size();
#pragma omp parallel for schedule(static) if (count >= kParallelFrom)
  for (Index n = 0; n < count; ++n) out[n] = value(static_cast<std::uint64_t>(n));
  return tensor;
}

Tensor uniform(Shape shape, std::uint64_t seed, std::string_view name, double bound) {
  const RandomStream stream(seed, name);
  const auto scale = static_cast<float>(bound);
  return generate(std::move(shape), [=](std::uint64_t n) { return stream.uniform(n) * scale; });
}

Tensor normal(Shape shape, std::uint64_t seed, std::string_view name) {
  constexpr float kDeviation = 0.1F;
  const RandomStream stream(seed, name);
  return generate(std::move(shape), [=](std::uint64_t n) { return stream.normal(n) * kDeviation; });
}

Tensor identity(Shape shape) {
  Tensor tensor = Tensor::zeros(shape);
  MatrixView matrix = tensor.mutableMatrix();
  for (Index i = 0; i < std::min(matrix.rows, matrix.cols); ++i) matrix(i, i) = 1.0F;
  return tensor;
}

/// Glorot's bound for a projection that PyTorch keeps by itself.
double glorot(const Shape& shape) {
  return std::sqrt(6.0 / static_cast<double>(shape[0] + shape[1]));
}

struct Shapes {
  Shape q, kv, o, bq, bkv;

  explicit Shapes(const AttentionConfig& c)
      : q{c.dModel, c.dModel},
        kv{c.dKv(), c.kvWidth()},
        o{c.dModel, c.dModel},
        bq{c.dModel},
        bkv{c.dKv()} {}
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
      "\"{}\" is not a way to draw weights; use xavier, normal, identity or designed", name));
}

Weights drawWeights(const AttentionConfig& config, WeightInit init, std::uint64_t seed) {
  const Shapes shape(config);
  Weights w;
  if (init == WeightInit::normal) {
    w.wQ = normal(shape.q, seed, "W_Q");
    w.wK = normal(shape.kv, seed, "W_K");
    w.wV = normal(shape.kv, seed, "W_V");
    w.wO = normal(shape.o, seed, "W_O");
    w.bQ = normal(shape.bq, seed, "b_Q");
    w.bK = normal(shape.bkv, seed, "b_K");
    w.bV = normal(shape.bkv, seed, "b_V");
    w.bO = normal(shape.bq, seed, "b_O");
    return w;
  }
  w.bQ = Tensor::zeros(shape.bq);
  w.bK = Tensor::zeros(shape.bkv);
  w.bV = Tensor::zeros(shape.bkv);
  w.bO = Tensor::zeros(shape.bq);
  if (init == WeightInit::identity) {
    w.wQ = identity(shape.q);
    w.wK = identity(shape.kv);
    w.wV = identity(shape.kv);
    w.wO = identity(shape.o);
    return w;
  }
  // Where all three have one shape, PyTorch draws them as one (3D, D) matrix: its bound is smaller.
  const auto d = static_cast<double>(config.dModel);
  const bool combined = shape.q == shape.kv;
  const double boundQ = combined ? std::sqrt(6.0 / (4.0 * d)) : glorot(shape.q);
  const double boundKv = combined ? boundQ : glorot(shape.kv);
  w.wQ = uniform(shape.q, seed, "W_Q", boundQ);
  w.wK = uniform(shape.kv, seed, "W_K", boundKv);
  w.wV = uniform(shape.kv, seed, "W_V", boundKv);
  w.wO = uniform(shape.o, seed, "W_O", 1.0 / std::sqrt(d));
  return w;
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
                         Item{"b_V", weights.bV, shape.bkv}, Item{"b_O", weights.bO, shape.bq}};
  for (const Item& item : items) {
    if (item.tensor.shape() == item.expected) continue;
    throw UserError(fmt::format(
        "{}: expected {}, found {} in {}; set d_model and the heads to what the weights were made "
        "for, or load others",
        item.name, toString(item.expected), toString(item.tensor.shape()), where));
  }
  for (const Item& item : items) requireFinite(item.tensor, item.name, where);
}

}  // namespace headscope
