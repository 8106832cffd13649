// Blocks: the parts around attention in a transformer's layers: embedding, norms, the feed-forward
// network, residuals, the readout. Each works on (1, T, width) tensors. All but the products are
// split by rows, so that the bits are the same on every thread count.
#pragma once

#include <span>
#include <vector>

#include "core/base/execution.h"
#include "core/model/model_weights.h"
#include "core/model/overflow.h"

namespace headscope::model {

/// Returns each token's row of the learned positions: consecutive rows, but padding tokens are not
/// counted.
std::vector<Index> positionRows(const ModelConfig& config, std::span<const Index> ids);

/// Returns the embedding of token ids with positions and norm: (1, T, D). `types` are used where
/// the model has types; empty: all 0.
Tensor embed(const Embedding& embedding, const ModelConfig& config, std::span<const Index> ids,
             std::span<const Index> types, const ExecutionContext& execution);

/// Computes over each row LayerNorm (Ba et al. 2016): (x − mean) / √(variance + ε) · gain + bias,
/// or RMSNorm (Zhang & Sennrich 2019): x / √(mean of squares + ε) · gain. Returns x itself where
/// there are no weights.
Tensor normalized(const Tensor& x, const NormWeights& weights, const ModelConfig& config,
                  const ExecutionContext& execution);

/// Applies GELU, exact or by tanh (Hendrycks & Gimpel 2016), ReLU or SiLU, in place.
void activate(Activation activation, std::span<float> values);

/// act(x upᵀ + b) downᵀ + b; or, gated (Shazeer 2020), (act(x gateᵀ) · x upᵀ) downᵀ.
Tensor feedForward(const Tensor& x, const FeedForward& weights, const ModelConfig& config,
                   const ExecutionContext& execution);

// The parts of a layer. `stream` is the residual stream that enters the layer.

/// Returns the X of a layer's attention.
Tensor attentionInput(const Tensor& stream, const LayerWeights& weights, const ModelConfig& config,
                      const ExecutionContext& execution);
/// Returns what the attention adds to the stream; `output` is the attention's.
Tensor attentionAddition(const Tensor& output, const LayerWeights& weights,
                         const ModelConfig& config, const ExecutionContext& execution);
/// Returns the stream after the attention; `output` is the attention's.
Tensor afterAttention(const Tensor& stream, const Tensor& output, const LayerWeights& weights,
                      const ModelConfig& config, const ExecutionContext& execution);
/// Returns the input of a layer's network; `half` is the stream after the attention.
Tensor networkInput(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                    const ModelConfig& config, const ExecutionContext& execution);
/// Returns what the network adds to the stream.
Tensor networkAddition(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                       const ModelConfig& config, const ExecutionContext& execution);
/// Returns the stream with a half layer's addition, normalised where norms follow the sums; `norm`
/// is that of the half layer.
Tensor withAddition(const Tensor& stream, const Tensor& addition, const NormWeights& norm,
                    const ModelConfig& config, const ExecutionContext& execution);
/// Returns the stream after the whole layer. A model of attention alone has no network.
Tensor afterNetwork(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                    const ModelConfig& config, const ExecutionContext& execution);

/// Computes the logits (1, rows, V) of normalised last hidden states (1, rows, D). Throws UserError
/// where one overflows; `name` names its row. The result is incomplete where `execution` is
/// cancelled.
Tensor logitsOf(const Tensor& hidden, const Readout& readout, const ModelConfig& config,
                const ExecutionContext& execution, const RowName& name);

}  // namespace headscope::model
