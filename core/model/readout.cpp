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

/// Adds width numbers of a row to another's.
void addTo(Tensor& to, Index row, const float* from, float factor) {
  const Index width = to.dim(2);
  float* into = to.mutableData() + row * width;
  for (Index j = 0; j < width; ++j) into[j] += factor * from[j];
}

bool changesLogits(const ModelConfig& config) {
  return config.logitFactor != 1.0 || config.logitCap > 0.0;
}

}  // namespace

Tensor readoutInput(const Tensor& last, const ModelConfig& config) {
  if (config.reads == Reads::everyToken) return last;
  if (config.reads == Reads::classToken) return last.slice(1, 0, 1);
  const Index d = config.dModel, tokens = last.dim(1), first = config.image.firstPatch();
  Tensor both = Tensor::zeros({1, 2, d});
  addTo(both, 0, last.data(), 1.0F);
  if (config.reads == Reads::classAndDistillation) {
    addTo(both, 1, last.data() + d, 1.0F);
  } else {
    const float share = 1.0F / static_cast<float>(tokens - first);
    for (Index row = first; row < tokens; ++row) addTo(both, 1, last.data() + row * d, share);
  }
  return both.reshaped({1, 1, 2 * d});
}

Tensor readoutInputBackward(const Tensor& dRow, Index row, const Shape& shape,
                            const ModelConfig& config) {
  Tensor all = Tensor::zeros(shape);
  addTo(all, row, dRow.data(), 1.0F);
  const Index tokens = shape[1], first = config.image.firstPatch();
  const float* second = dRow.data() + config.dModel;
  if (config.reads == Reads::classAndDistillation) addTo(all, 1, second, 1.0F);
  if (config.reads == Reads::classAndMeanPatch) {
    const float share = 1.0F / static_cast<float>(tokens - first);
    for (Index patch = first; patch < tokens; ++patch) addTo(all, patch, second, share);
  }
  return all;
}

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
