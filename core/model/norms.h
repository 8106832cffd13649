// Norms: the normalisation of each row of (1, T, width) tensors, forward and backward.
#pragma once

#include "core/base/execution.h"
#include "core/model/model_weights.h"

namespace headscope::model {

/// The kind of a norm and its ε.
struct NormKind {
  bool centred = true;  // LayerNorm (Ba et al. 2016); otherwise RMSNorm (Zhang & Sennrich 2019)
  double epsilon = 1e-5;
};
/// The kind of the norms of a model's layers.
NormKind normKindOf(const ModelConfig& config);

/// Computes over each row LayerNorm: (x − mean) / √(variance + ε) · gain + bias, or RMSNorm:
/// x / √(mean of squares + ε) · gain. Returns x itself where there are no weights.
Tensor normalized(const Tensor& x, const NormWeights& weights, const NormKind& kind,
                  const ExecutionContext& execution);
Tensor normalized(const Tensor& x, const NormWeights& weights, const ModelConfig& config,
                  const ExecutionContext& execution);

/// Returns the gradient of x from `dy`, that of the normalised rows. Where `gradients` are given,
/// fills in those of gain and bias.
Tensor normalizedBackward(const Tensor& x, const Tensor& dy, const NormWeights& weights,
                          const NormKind& kind, const ExecutionContext& execution,
                          NormWeights* gradients = nullptr);
Tensor normalizedBackward(const Tensor& x, const Tensor& dy, const NormWeights& weights,
                          const ModelConfig& config, const ExecutionContext& execution);

}  // namespace headscope::model
