#include "core/model/blocks.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/steps/linear.h"
#include "core/model/experts.h"

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

/// The kind of a norm and its ε.
struct NormKind {
  bool centred;  // LayerNorm; otherwise RMSNorm
  double epsilon;
};

void normalizeRow(const float* x, float* y, Index width, const NormWeights& weights,
                  const NormKind& kind) {
  const auto n = static_cast<double>(width);
  double mean = 0.0;
  if (kind.centred) {
    for (Index j = 0; j < width; ++j) mean += static_cast<double>(x[j]);
    mean /= n;
  }
  double squares = 0.0;
  for (Index j = 0; j < width; ++j) {
    const double d = static_cast<double>(x[j]) - mean;
    squares += d * d;
  }
  const double factor = 1.0 / std::sqrt(squares / n + kind.epsilon);
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

Tensor normalizedAs(const NormKind& kind, const Tensor& x, const NormWeights& weights,
                    const ExecutionContext& execution) {
  const Index width = x.dim(2);
  Tensor y = Tensor::uninitialised(x.shape(), execution.memory);
  parallelForRows(x.dim(1), execution, [&](Index row) {
    normalizeRow(x.data() + row * width, y.mutableData() + row * width, width, weights, kind);
  });
  return y;
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

/// gpt-oss: both factors stay within the limit, and (up + 1) · gate · σ(1.702 gate).
void activateWithin(float limit, std::span<float> gate, const float* up) {
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = std::min(gate[i], limit);
  activate(Activation::geluQuick, gate);
  for (std::size_t i = 0; i < gate.size(); ++i) {
    gate[i] *= std::clamp(up[i], -limit, limit) + 1.0F;
  }
}

/// Returns a + factor · b; both have one shape.
Tensor sum(const Tensor& a, const Tensor& b, double factor, const ExecutionContext& execution) {
  Tensor c = Tensor::uninitialised(a.shape(), execution.memory);
  const auto times = static_cast<float>(factor);
  parallelForRanges(a.size(), execution, [&](Index begin, Index count) {
    const float* left = a.data() + begin;
    const float* right = b.data() + begin;
    float* to = c.mutableData() + begin;
    if (times == 1.0F) {
      for (Index i = 0; i < count; ++i) to[i] = left[i] + right[i];
    } else {
      for (Index i = 0; i < count; ++i) to[i] = left[i] + times * right[i];
    }
  });
  return c;
}

/// Copies columns [first, first + width) of (1, T, ·) into `to`, from its column `at` on.
void copyColumns(const Tensor& from, Index first, Index width, Tensor& to, Index at) {
  for (Index row = 0; row < from.dim(1); ++row) {
    std::copy_n(from.data() + row * from.dim(2) + first, width,
                to.mutableData() + row * to.dim(2) + at);
  }
}

Tensor firstColumns(const Tensor& x, Index width) {
  Tensor part = Tensor::uninitialised({1, x.dim(1), width});
  copyColumns(x, 0, width, part, 0);
  return part;
}

/// The narrow vectors of latent attention, one after the other, then zeros: the queries' (or x
/// itself), the keys' and values', and the shared key before its rotation.
Tensor latentInput(const Tensor& x, const LatentWeights& weights, const ModelConfig& config,
                   const ExecutionContext& execution) {
  const Latent& latent = config.latent;
  const NormKind kind{false, latent.epsilon};
  Tensor queries = x;
  if (!weights.queries.empty()) {
    queries = normalizedAs(kind, linear(x, weights.queries, weights.queriesBias, execution),
                           weights.queriesNorm, execution);
  }
  const Tensor keys = linear(x, weights.keys, weights.keysBias, execution);
  const Tensor values =
      normalizedAs(kind, firstColumns(keys, latent.keys), weights.keysNorm, execution);
  Tensor all = Tensor::zeros({1, x.dim(1), config.attentionWidth()});
  copyColumns(queries, 0, queries.dim(2), all, 0);
  copyColumns(values, 0, latent.keys, all, queries.dim(2));
  copyColumns(keys, latent.keys, latent.rotated, all, queries.dim(2) + latent.keys);
  return all;
}

}  // namespace

Tensor embed(const Embedding& embedding, const ModelConfig& config, std::span<const Index> ids,
             std::span<const Index> types, const ExecutionContext& execution) {
  const Index width = config.embeddingRows();
  Tensor h = Tensor::uninitialised({1, std::ssize(ids), width}, execution.memory);
  const std::vector<Index> places = positionRowsOf(config, ids);
  const auto addRow = [&](Tensor& to, Index row, const Tensor& table, Index from) {
    const Index columns = to.dim(2);
    const float* values = table.data() + from * columns;
    float* into = to.mutableData() + row * columns;
    for (Index j = 0; j < columns; ++j) into[j] += values[j];
  };
  // positions as wide as the stream are added behind the projection
  const bool positionsBefore = !embedding.positions.empty() && embedding.positions.dim(1) == width;
  const auto factor = static_cast<float>(config.embeddingFactor);
  parallelForRows(std::ssize(ids), execution, [&](Index row) {
    const auto at = static_cast<std::size_t>(row);
    float* to = h.mutableData() + row * width;
    embedding.tokens.copyRow(ids[at], to);
    if (factor != 1.0F) std::transform(to, to + width, to, [=](float x) { return x * factor; });
    if (!embedding.types.empty()) addRow(h, row, embedding.types, types.empty() ? 0 : types[at]);
    if (positionsBefore) addRow(h, row, embedding.positions, places[at]);
  });
  h = normalized(h, embedding.norm, config, execution);
  if (!embedding.projection.empty()) {
    h = linear(h, embedding.projection, embedding.projectionBias, execution);
  }
  if (embedding.positions.empty() || positionsBefore) return h;
  parallelForRows(std::ssize(ids), execution, [&](Index row) {
    addRow(h, row, embedding.positions, places[static_cast<std::size_t>(row)]);
  });
  return h;
}

Tensor normalized(const Tensor& x, const NormWeights& weights, const ModelConfig& config,
                  const ExecutionContext& execution) {
  if (weights.gain.empty()) return x;
  return normalizedAs({!config.rmsNorm, config.normEpsilon}, x, weights, execution);
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
    case Activation::geluQuick: {
      constexpr float kSlope = 1.702F;
      x = x / (1.0F + (-kSlope * x).exp());
      return;
    }
    case Activation::relu:
      x = x.max(0.0F);
      return;
    case Activation::silu:
      x = x / (1.0F + (-x).exp());
      return;
    case Activation::none:
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
    const std::span<float> part(values, static_cast<std::size_t>(count));
    if (config.experts.limit > 0.0) {
      activateWithin(static_cast<float>(config.experts.limit), part, up.data() + begin);
      return;
    }
    activate(config.activation, part);
    if (up.empty()) return;
    for (Index i = 0; i < count; ++i) values[i] *= up.data()[begin + i];
  });
  return linear(inner, w.down, w.downBias, execution);
}

Tensor attentionInput(const Tensor& stream, const LayerWeights& weights, const ModelConfig& config,
                      const ExecutionContext& execution) {
  if (!config.preNorm) return stream;
  const Tensor x = normalized(stream, weights.attentionNorm, config, execution);
  return config.latent.on() ? latentInput(x, weights.latent, config, execution) : x;
}

Tensor afterAttention(const Tensor& stream, const Tensor& output, const LayerWeights& weights,
                      const ModelConfig& config, const ExecutionContext& execution) {
  const Tensor own = output.dim(2) == config.dModel ? output : firstColumns(output, config.dModel);
  if (!config.preNorm) {
    return normalized(sum(stream, own, 1.0, execution), weights.attentionNorm, config, execution);
  }
  return sum(stream, normalized(own, weights.attentionOutputNorm, config, execution),
             config.residualFactor, execution);
}

Tensor networkInput(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                    const ModelConfig& config, const ExecutionContext& execution) {
  if (!config.preNorm) return half;
  if (!config.parallel) return normalized(half, weights.feedForwardNorm, config, execution);
  const bool oneNorm = weights.feedForwardNorm.gain.empty();
  return normalized(stream, oneNorm ? weights.attentionNorm : weights.feedForwardNorm, config,
                    execution);
}

Tensor afterNetwork(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                    const ModelConfig& config, const ExecutionContext& execution) {
  if (config.attentionOnly) return half;
  const Tensor inner = networkInput(stream, half, weights, config, execution);
  const Tensor output = weights.experts.each.empty()
                            ? feedForward(inner, weights.feedForward, config, execution)
                            : mixtureOfExperts(inner, weights.experts, config, execution);
  if (!config.preNorm) {
    return normalized(sum(half, output, 1.0, execution), weights.feedForwardNorm, config,
                      execution);
  }
  return sum(half, normalized(output, weights.feedForwardOutputNorm, config, execution),
             config.residualFactor, execution);
}

Tensor logitsOf(const Tensor& hidden, const Readout& readout, const ModelConfig& config,
                const ExecutionContext& execution, const RowName& name) {
  Tensor inner = hidden;
  if (!readout.transform.empty()) {
    inner = linear(hidden, readout.transform, readout.transformBias, execution);
    parallelForRanges(inner.size(), execution, [&](Index begin, Index count) {
      activate(config.readoutActivation,
               {inner.mutableData() + begin, static_cast<std::size_t>(count)});
    });
    inner = normalized(inner, readout.transformNorm, config, execution);
  }
  Tensor logits = linear(inner, readout.decoder, readout.bias, execution);
  if (config.logitFactor != 1.0 || config.logitCap > 0.0) {
    const auto factor = static_cast<float>(config.logitFactor);
    const auto cap = static_cast<float>(config.logitCap);
    parallelForRanges(logits.size(), execution, [&](Index begin, Index count) {
      Floats x(logits.mutableData() + begin, count);
      x *= factor;
      if (cap > 0.0F) x = cap * (x / cap).tanh();
    });
  }
  if (!execution.stop()) requireInRange(logits, name);
  return logits;
}

}  // namespace headscope::model
