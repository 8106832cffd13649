#include "core/model/network.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/steps/linear.h"
#include "core/tensor/sums.h"

namespace headscope::model {
namespace {

using Floats = Eigen::Map<Eigen::ArrayXf>;

constexpr float kRootOf2OverPi = 0.7978845608F;
constexpr float kOverRoot2 = 0.7071067812F;
constexpr float kCubic = 0.044715F;  // of GELU by tanh
constexpr float kQuickSlope = 1.702F;

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

/// The slope of x · σ(factor · x).
void toSwishSlopes(float factor, Floats& x) {
  const Eigen::ArrayXf share = 1.0F / (1.0F + (-factor * x).exp());
  x = share + factor * x * share * (1.0F - share);
}

/// gpt-oss: both factors stay within the limit, and (up + 1) · gate · σ(1.702 gate).
void activateWithin(float limit, std::span<float> gate, const float* up) {
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = std::min(gate[i], limit);
  activate(Activation::geluQuick, gate);
  for (std::size_t i = 0; i < gate.size(); ++i) {
    gate[i] *= std::clamp(up[i], -limit, limit) + 1.0F;
  }
}

/// The inner part of a network on some of its numbers: act(gate) · up, or act(gate) where there is
/// no up. Overwrites `gate`.
void activateInner(const ModelConfig& config, std::span<float> gate, const float* up) {
  if (config.experts.limit > 0.0) {
    return activateWithin(static_cast<float>(config.experts.limit), gate, up);
  }
  activate(config.activation, gate);
  if (up == nullptr) return;
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i];
}

/// The gradients of gate and up from `d`, that of the inner part. They overwrite `gate` and `up`.
void activateInnerBackward(const ModelConfig& config, const float* d, std::span<float> gate,
                           float* up) {
  const double limit = config.experts.limit;
  if (limit > 0.0) {
    const auto most = static_cast<float>(limit);
    std::vector<float> clamped(gate.size()), slopes(gate.size());
    for (std::size_t i = 0; i < gate.size(); ++i) clamped[i] = std::min(gate[i], most);
    slopes = clamped;
    activate(Activation::geluQuick, clamped);
    toSlopes(Activation::geluQuick, slopes);
    for (std::size_t i = 0; i < gate.size(); ++i) {
      const bool free = gate[i] <= most;
      gate[i] = free ? d[i] * slopes[i] * (std::clamp(up[i], -most, most) + 1.0F) : 0.0F;
      up[i] = std::abs(up[i]) <= most ? d[i] * clamped[i] : 0.0F;
    }
    return;
  }
  if (up == nullptr) {
    toSlopes(config.activation, gate);
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= d[i];
    return;
  }
  std::vector<float> active(gate.begin(), gate.end());
  activate(config.activation, active);
  toSlopes(config.activation, gate);
  for (std::size_t i = 0; i < gate.size(); ++i) {
    gate[i] *= d[i] * up[i];
    up[i] = d[i] * active[i];
  }
}

/// The two products of a network's first half; `up` is empty where it is not gated.
struct InnerProducts {
  Tensor gate, up;
};
InnerProducts innerProducts(const Tensor& x, const FeedForward& w,
                            const ExecutionContext& execution) {
  if (w.gate.empty()) return {linear(x, w.up, w.upBias, execution), {}};
  return {linear(x, w.gate, w.gateBias, execution), linear(x, w.up, w.upBias, execution)};
}

}  // namespace

void activate(Activation activation, std::span<float> values) {
  Floats x(values.data(), std::ssize(values));
  switch (activation) {
    case Activation::geluTanh:
      x = 0.5F * x * (1.0F + (kRootOf2OverPi * (x + kCubic * x.cube())).tanh());
      return;
    case Activation::geluErf:
      x = 0.5F * x * (1.0F + errorFunction(x * kOverRoot2));
      return;
    case Activation::geluQuick:
      x = x / (1.0F + (-kQuickSlope * x).exp());
      return;
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

void toSlopes(Activation activation, std::span<float> values) {
  Floats x(values.data(), std::ssize(values));
  switch (activation) {
    case Activation::geluTanh: {
      const Eigen::ArrayXf t = (kRootOf2OverPi * (x + kCubic * x.cube())).tanh();
      x = 0.5F * (1.0F + t) +
          0.5F * x * (1.0F - t.square()) * kRootOf2OverPi * (1.0F + 3.0F * kCubic * x.square());
      return;
    }
    case Activation::geluErf: {
      const Eigen::ArrayXf below = 0.5F * (1.0F + errorFunction(x * kOverRoot2));
      x = below + 0.5F * kRootOf2OverPi * x * (-0.5F * x.square()).exp();
      return;
    }
    case Activation::geluQuick:
      return toSwishSlopes(kQuickSlope, x);
    case Activation::relu:
      for (float& value : values) value = value > 0.0F ? 1.0F : 0.0F;
      return;
    case Activation::silu:
      return toSwishSlopes(1.0F, x);
    case Activation::none:
      x.setOnes();
      return;
  }
}

Tensor networkInner(const Tensor& gate, const Tensor& up, const ModelConfig& config,
                    const ExecutionContext& execution) {
  Tensor inner = Tensor::uninitialised(gate.shape(), execution.memory);
  parallelForRanges(inner.size(), execution, [&](Index begin, Index count) {
    std::copy_n(gate.data() + begin, count, inner.mutableData() + begin);
    activateInner(config, {inner.mutableData() + begin, static_cast<std::size_t>(count)},
                  up.empty() ? nullptr : up.data() + begin);
  });
  return inner;
}

void networkInnerBackward(const Tensor& dInner, Tensor& gate, Tensor& up, const ModelConfig& config,
                          const ExecutionContext& execution) {
  parallelForRanges(gate.size(), execution, [&](Index begin, Index count) {
    activateInnerBackward(config, dInner.data() + begin,
                          {gate.mutableData() + begin, static_cast<std::size_t>(count)},
                          up.empty() ? nullptr : up.mutableData() + begin);
  });
}

Tensor networkActivations(const Tensor& x, const FeedForward& w, const ModelConfig& config,
                          const ExecutionContext& execution) {
  const auto [gate, up] = innerProducts(x, w, execution);
  return networkInner(gate, up, config, execution);
}

Tensor feedForward(const Tensor& x, const FeedForward& w, const ModelConfig& config,
                   const ExecutionContext& execution) {
  return linear(networkActivations(x, w, config, execution), w.down, w.downBias, execution);
}

Tensor feedForwardBackward(const Tensor& x, const Tensor& dy, const FeedForward& w,
                           const ModelConfig& config, const ExecutionContext& execution) {
  auto [gate, up] = innerProducts(x, w, execution);
  networkInnerBackward(linearInputGradient(dy, w.down, execution), gate, up, config, execution);
  if (up.empty()) return linearInputGradient(gate, w.up, execution);
  return sum(linearInputGradient(gate, w.gate, execution), linearInputGradient(up, w.up, execution),
             1.0, execution);
}

}  // namespace headscope::model
