// Network: the feed-forward network of a layer and its activations, forward and backward.
#pragma once

#include <span>

#include "core/base/execution.h"
#include "core/model/model_weights.h"

namespace headscope::model {

/// Applies GELU, exact or by tanh (Hendrycks & Gimpel 2016), ReLU or SiLU, in place.
void activate(Activation activation, std::span<float> values);
/// Replaces each value by the slope of the activation there.
void toSlopes(Activation activation, std::span<float> values);

/// The inner part of a network from its products: act(gate) · up, or act(gate) where `up` is empty.
Tensor networkInner(const Tensor& gate, const Tensor& up, const ModelConfig& config,
                    const ExecutionContext& execution);
/// Replaces the products by their gradients; `dInner` is that of the inner part.
void networkInnerBackward(const Tensor& dInner, Tensor& gate, Tensor& up, const ModelConfig& config,
                          const ExecutionContext& execution);

/// The inner part of a network, the activations of its neurons: (1, T, F).
Tensor networkActivations(const Tensor& x, const FeedForward& weights, const ModelConfig& config,
                          const ExecutionContext& execution);
/// act(x upᵀ + b) downᵀ + b; or, gated (Shazeer 2020), (act(x gateᵀ) · x upᵀ) downᵀ.
Tensor feedForward(const Tensor& x, const FeedForward& weights, const ModelConfig& config,
                   const ExecutionContext& execution);
/// Returns the gradient of x from `dy`, that of the network's output.
Tensor feedForwardBackward(const Tensor& x, const Tensor& dy, const FeedForward& weights,
                           const ModelConfig& config, const ExecutionContext& execution);

}  // namespace headscope::model
