#include "core/model/readout.h"

#include <Eigen/Core>
#include <span>

#include "core/attention/steps/linear.h"
#include "core/model/network.h"
#include "core/model/norms.h"
#include "core/tensor/sums.h"

namespace headscope::model {
namespace {

std::span<float> numbers(Tensor& of, Index begin, Index count) {
  return {of.mutableData() + begin, static_cast<std::size_t>(count)};
}

/// The input of the decoder, with what it was computed from.
struct Transformed {
  Tensor product;  // of the transform; empty without one
  Tensor active;   // behind its activation; empty without one
  Tensor inner;    // the decoder's input
};
Transformed transformed(const Tensor& hidden, const Readout& readout, const ModelConfig& config,
                        const ExecutionContext& execution) {
  if (readout.transform.empty()) return {{}, {}, hidden};
  const Tensor product = linear(hidden, readout.transform, readout.transformBias, execution);
  Tensor active = product;
  if (config.readoutActivation != Activation::none) {
    active = product.clone();
    parallelForRanges(active.size(), execution, [&](Index begin, Index count) {
      activate(config.readoutActivation, numbers(active, begin, count));
    });
  }
  return {product, active, normalized(active, readout.transformNorm, config, execution)};
}

bool changesLogits(const ModelConfig& config) {
  return config.logitFactor != 1.0 || config.logitCap > 0.0;
}

}  // namespace

Tensor logitsOf(const Tensor& hidden, const Readout& readout, const ModelConfig& config,
                const ExecutionContext& execution, const RowName& name) {
  const Tensor inner = transformed(hidden, readout, config, execution).inner;
  Tensor logits = linear(inner, readout.decoder, readout.bias, execution);
  if (changesLogits(config)) {
    const auto factor = static_cast<float>(config.logitFactor);
    const auto cap = static_cast<float>(config.logitCap);
    parallelForRanges(logits.size(), execution, [&](Index begin, Index count) {
      Eigen::Map<Eigen::ArrayXf> x(logits.mutableData() + begin, count);
      x *= factor;
      if (cap > 0.0F) x = cap * (x / cap).tanh();
    });
  }
  if (!execution.stop()) requireInRange(logits, name);
  return logits;
}

Tensor logitsBackward(const Tensor& hidden, const Tensor& dLogits, const Readout& readout,
                      const ModelConfig& config, const ExecutionContext& execution) {
  const auto [product, active, inner] = transformed(hidden, readout, config, execution);
  Tensor d = dLogits;
  if (changesLogits(config)) {
    const auto factor = static_cast<float>(config.logitFactor);
    const auto cap = static_cast<float>(config.logitCap);
    d = config.logitCap > 0.0 ? linear(inner, readout.decoder, readout.bias, execution)
                              : Tensor::zeros(dLogits.shape());
    parallelForRanges(d.size(), execution, [&](Index begin, Index count) {
      Eigen::Map<Eigen::ArrayXf> x(d.mutableData() + begin, count);
      if (cap > 0.0F) x = (x * factor / cap).tanh();
      const Eigen::Map<const Eigen::ArrayXf> from(dLogits.data() + begin, count);
      x = factor * (1.0F - x.square()) * from;
    });
  }
  d = linearInputGradient(d, readout.decoder, execution);
  if (readout.transform.empty()) return d;
  d = normalizedBackward(active, d, readout.transformNorm, config, execution);
  Tensor slopes = product.clone();
  parallelForRanges(slopes.size(), execution, [&](Index begin, Index count) {
    const std::span<float> part = numbers(slopes, begin, count);
    toSlopes(config.readoutActivation, part);
    for (std::size_t i = 0; i < part.size(); ++i)
      part[i] *= d.data()[begin + static_cast<Index>(i)];
  });
  return linearInputGradient(slopes, readout.transform, execution);
}

}  // namespace headscope::model
