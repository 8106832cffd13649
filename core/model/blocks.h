// Blocks: the parts around attention in a transformer's layers: embedding, the inputs of the two
// halves and what follows them, forward and backward. Each works on (1, T, width) tensors. All but
// the products are split by rows, so that the bits are the same on every thread count.
#pragma once

#include <span>
#include <vector>

#include "core/base/execution.h"
#include "core/model/model_weights.h"

namespace headscope::model {

/// Returns each token's row of the learned positions: consecutive rows, but padding tokens are not
/// counted.
std::vector<Index> positionRows(const ModelConfig& config, std::span<const Index> ids);

/// Returns the embedding of token ids with positions and norm: (1, T, D). `types` are used where
/// the model has types; empty: all 0.
Tensor embed(const Embedding& embedding, const ModelConfig& config, std::span<const Index> ids,
             std::span<const Index> types, const ExecutionContext& execution);

// The parts of a layer. `stream` is the residual stream that enters the layer, `half` the stream
// after its attention. `d…` is the gradient of a tensor.

/// Returns the X of a layer's attention.
Tensor attentionInput(const Tensor& stream, const LayerWeights& weights, const ModelConfig& config,
                      const ExecutionContext& execution);
/// Returns the gradient of `stream` as far as it comes through X.
Tensor attentionInputBackward(const Tensor& stream, const Tensor& dX, const LayerWeights& weights,
                              const ModelConfig& config, const ExecutionContext& execution);

/// Returns what the attention adds to the stream; `output` is the attention's.
Tensor attentionAddition(const Tensor& output, const LayerWeights& weights,
                         const ModelConfig& config, const ExecutionContext& execution);
/// Returns the stream with a half layer's addition, normalised where norms follow the sums; `norm`
/// is that of the half layer.
Tensor withAddition(const Tensor& stream, const Tensor& addition, const NormWeights& norm,
                    const ModelConfig& config, const ExecutionContext& execution);
/// Returns the stream after the attention; `output` is the attention's.
Tensor afterAttention(const Tensor& stream, const Tensor& output, const LayerWeights& weights,
                      const ModelConfig& config, const ExecutionContext& execution);
struct AfterAttentionGradients {
  Tensor stream;  // also that of attentionAddition, which is added to the stream
  Tensor output;
};
AfterAttentionGradients afterAttentionBackward(const Tensor& stream, const Tensor& output,
                                               const Tensor& dHalf, const LayerWeights& weights,
                                               const ModelConfig& config,
                                               const ExecutionContext& execution);

/// The norm of the input of a layer's network; null where norms follow the sums.
const NormWeights* networkNorm(const LayerWeights& weights, const ModelConfig& config);
/// Returns the input of a layer's network.
Tensor networkInput(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                    const ModelConfig& config, const ExecutionContext& execution);
/// Returns what a layer's network adds to the stream. Not for a layer without one.
Tensor networkAddition(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                       const ModelConfig& config, const ExecutionContext& execution);
/// Returns the stream after the whole layer, which may have no network.
Tensor afterNetwork(const Tensor& stream, const Tensor& half, const LayerWeights& weights,
                    const ModelConfig& config, const ExecutionContext& execution);
struct AfterNetworkGradients {
  Tensor stream;  // empty where the network does not read the stream itself
  Tensor half;
  // Those of a layer without a network are empty.
  Tensor addition;  // of networkAddition
  Tensor output;    // of the network's own output, before a norm
  Tensor input;     // of networkInput
};
AfterNetworkGradients afterNetworkBackward(const Tensor& stream, const Tensor& half,
                                           const Tensor& dWhole, const LayerWeights& weights,
                                           const ModelConfig& config,
                                           const ExecutionContext& execution);

}  // namespace headscope::model
