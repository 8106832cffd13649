#include "core/model/blocks.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/steps/linear.h"

namespace headscope::model {
namespace {

constexpr Index kRowsAtOnce = 16;
constexpr Index kNumbersAtOnce = Index{1} << 14;

/// Calls a function for each row of (1, T, width), in pieces of work.
template <typename Function>
void parallelForRows(Index rows, const ExecutionContext& execution, Function&& function) {
  parallelFor((rows + kRowsAtOnce - 1) / kRowsAtOnce, execution, [&](Index piece) {
    const Index end = std::min(rows, (piece + 1) * kRowsAtOnce);
    for (Index row = piece * kRowsAtOnce; row < end; ++row) function(row);
  });
}

template <typename Function>
void parallelForRanges(Index count, const ExecutionContext& execution, Function&& function) {
  parallelFor((count + kNumbersAtOnce - 1) / kNumbersAtOnce, execution, [&](Index piece) {
    const Index begin = piece * kNumbersAtOnce;
    function(begin, std::min(kNumbersAtOnce, count - begin));
  });
}

void normalizeRow(const float* x, float* y, Index width, const NormWeights& weights,
                  const ModelConfig& config) {
  const auto n = static_cast<double>(width);
  double mean = 0.0;
  if (!config.rmsNorm) {
    for (Index j = 0; j < width; ++j) mean += static_cast<double>(x[j]);
    mean /= n;
  }
  double squares = 0.0;
  for (Index j = 0; j < width; ++j) {
    const double d = static_cast<double>(x[j]) - mean;
    squares += d * d;
  }
  const double factor = 1.0 / std::sqrt(squares / n + config.normEpsilon);
  const float* gain = weights.gain.data();
  const float* bias = weights.bias.empty() ? nullptr : weights.bias.data();
  for (Index j = 0; j < width; ++j) {
    const auto value = static_cast<float>((static_cast<double>(x[j]) - mean) * factor) * gain[j];
    y[j] = bias == nullptr ? value : value + bias[j];
  }
}

/// Returns each token's row of the learned positions: consecutive rows, but padding tokens are not
/// counted.
std::vector<Index> positionRowsOf(const ModelConfig& config, std::span<const Index> ids) {
  std::vector<Index> rows;
  Index next = config.firstPosition;
  for (const Index id : ids) {
    rows.push_back(config.padToken >= 0 && id == config.padToken ? config.padToken : next++);
  }
  return rows;
}

using Floats = Eigen::Map<Eigen::ArrayXf>;

/// erf to 1.5e-7 (Abramowitz & Stegun 1964, 7.1.26).
template <typename Array>
Eigen::ArrayXf errorFunction(const Array& x) {
  const Eigen::ArrayXf t = 1.0F / (1.0F + 0.3275911F * x.abs());
  const Eigen::ArrayXf tail =
      t *
      (0.254829592F +
       t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F)))) *
      (-x.square()).exp();
  return x.sign() * (1.0F - tail);
}

}  // namespace

Tensor embed(const Embedding& embedding, const ModelConfig& config, std::span<const Index> ids,
             std::span<const Index> types, const ExecutionContext& execution) {
  const Index width = config.dModel;
  Tensor h = Tensor::uninitialised({1, std::ssize(ids), width}, execution.memory);
  const std::vector<Index> places = positionRowsOf(config, ids);
  parallelForRows(std::ssize(ids), execution, [&](Index row) {
    const auto at = static_cast<std::size_t>(row);
    float* to = h.mutableData() + row * width;
    const auto add = [&](const Tensor& table, Index from) {
      const float* values = table.data() + from * width;
      for (Index j = 0; j < width; ++j) to[j] += values[j];
    };
    std::copy_n(embedding.tokens.data() + ids[at] * width, width, to);
    if (!embedding.types.empty()) add(embedding.types, types.empty() ? 0 : types[at]);
    if (!embedding.positions.empty()) add(embedding.positions, places[at]);
  });
  return normalized(h, embedding.norm, config, execution);
}

Tensor normalized(const Tensor& x, const NormWeights& weights, const ModelConfig& config,
                  const ExecutionContext& execution) {
  if (weights.gain.empty()) return x;
  const Index width = x.dim(2);
  Tensor y = Tensor::uninitialised(x.shape(), execution.memory);
  parallelForRows(x.dim(1), execution, [&](Index row) {
    normalizeRow(x.data() + row * width, y.mutableData() + row * width, width, weights, config);
  });
  return y;
}

void activate(Activation activation, std::span<float> values) {
  Floats x(values.data(), std::ssize(values));
  switch (activation) {
    case Activation::geluTanh: {
      constexpr float kRoot = 0.7978845608F;  // √(2/π)
      x = 0.5F * x * (1.0F + (kRoot * (x + 0.044715F * x.cube())).tanh());
      return;
    }
    case Activation::geluErf: {
      constexpr float kOverRoot2 = 0.7071067812F;
      x = 0.5F * x * (1.0F + errorFunction(x * kOverRoot2));
      return;
    }
    case Activation::relu:
      x = x.max(0.0F);
      return;
    case Activation::silu:
      x = x / (1.0F + (-x).exp());
      return;
  }
}

Tensor feedForward(const Tensor& x, const FeedForward& w, const ModelConfig& config,
                   const ExecutionContext& execution) {
  Tensor inner =
      linear(x, w.gate.empty() ? w.up : w.gate, w.gate.empty() ? w.upBias : w.gateBias, execution);
  const Tensor up = w.gate.empty() ? Tensor() : linear(x, w.up, w.upBias, execution);
  parallelForRanges(inner.size(), execution, [&](Index begin, Index count) {
    float* values = inner.mutableData() + begin;
    activate(config.activation, {values, static_cast<std::size_t>(count)});
    if (up.empty()) return;
    for (Index i = 0; i < count; ++i) values[i] *= up.data()[begin + i];
  });
  return linear(inner, w.down, w.downBias, execution);
}

Tensor sum(const Tensor& a, const Tensor& b, const ExecutionContext& execution) {
  Tensor to = Tensor::uninitialised(a.shape(), execution.memory);
  parallelForRanges(to.size(), execution, [&](Index begin, Index count) {
    for (Index i = begin; i < begin + count; ++i) to.mutableData()[i] = a.data()[i] + b.data()[i];
  });
  return to;
}

Tensor logitsOf(const Tensor& hidden, const Readout& readout, const ModelConfig& config,
                const ExecutionContext& execution, const RowName& name) {
  Tensor inner = hidden;
  if (!readout.transform.empty()) {
    inner = linear(hidden, readout.transform, readout.transformBias, execution);
    parallelForRanges(inner.size(), execution, [&](Index begin, Index count) {
      activate(config.activation, {inner.mutableData() + begin, static_cast<std::size_t>(count)});
    });
    inner = normalized(inner, readout.transformNorm, config, execution);
  }
  Tensor logits = linear(inner, readout.decoder, readout.bias, execution);
  if (!execution.stop()) requireInRange(logits, name);
  return logits;
}

}  // namespace headscope::model
