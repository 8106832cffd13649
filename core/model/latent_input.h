// Latent input: the narrow vectors from which latent attention (DeepSeek-AI 2024) computes queries,
// keys and values, forward and backward.
#pragma once

#include "core/base/execution.h"
#include "core/model/model_weights.h"

namespace headscope::model {

/// Returns the narrow vectors, one after the other, then zeros: the queries' (or x itself), the
/// keys' and values', and the shared key before its rotation.
Tensor latentInput(const Tensor& x, const LatentWeights& weights, const ModelConfig& config,
                   const ExecutionContext& execution);
/// Returns the gradient of x from `d`, that of these vectors.
Tensor latentInputBackward(const Tensor& x, const Tensor& d, const LatentWeights& weights,
                           const ModelConfig& config, const ExecutionContext& execution);

}  // namespace headscope::model
