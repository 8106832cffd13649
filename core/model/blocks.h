// Blocks: what stands around attention in a transformer's layers: embedding, norms, the
// feed-forward network, residuals, the readout. Each works on (1, T, width) tensors; all but the
// products are shared out by rows, so that the bits are the same on every thread count.
#pragma once

#include <span>

#include "core/base/execution.h"
#include "core/model/model_weights.h"
#include "core/model/overflow.h"

namespace headscope::model {

/// Rows of the embedding for token ids (and, where the model has types, theirs; empty: all 0), with
/// positions and norm: (1, T, D).
Tensor embed(const Embedding& embedding, const ModelConfig& config, std::span<const Index> ids,
             std::span<const Index> types, const ExecutionContext& execution);

/// LayerNorm (Ba et al. 2016): (x − mean) / √(variance + ε) · gain + bias, over each row; or
/// RMSNorm (Zhang & Sennrich 2019): x / √(mean of squares + ε) · gain. x itself without weights.
Tensor normalized(const Tensor& x, const NormWeights& weights, const ModelConfig& config,
                  const ExecutionContext& execution);

/// GELU exactly or by tanh (Hendrycks & Gimpel 2016), ReLU, SiLU; in place.
void activate(Activation activation, std::span<float> values);

/// act(x upᵀ + b) downᵀ + b; or, gated (Shazeer 2020), (act(x gateᵀ) · x upᵀ) downᵀ.
Tensor feedForward(const Tensor& x, const FeedForward& weights, const ModelConfig& config,
                   const ExecutionContext& execution);

/// a + b, of one shape.
Tensor sum(const Tensor& a, const Tensor& b, const ExecutionContext& execution);

/// From normalised last hidden states (1, rows, D) to logits (1, rows, V). Throws UserError where
/// one overflows; `name` names its row. Not whole where `execution` is cancelled.
Tensor logitsOf(const Tensor& hidden, const Readout& readout, const ModelConfig& config,
                const ExecutionContext& execution, const RowName& name);

}  // namespace headscope::model
