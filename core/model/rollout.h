// Attention rollout (Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers"): how much
// of each token reaches each place behind a layer, if every layer mixed tokens by the mean of its
// heads and its residual stream in equal parts: the product of ½ (mean of A) + ½ I over the layers.
#pragma once

#include <optional>

#include "core/model/model_trace.h"

namespace headscope::model {

/// The mean of a layer's heads: (T, T).
Tensor meanAttention(const ModelTrace& trace, Index layer);

/// The rollout of the layers 0 … `last`: (T, T), each row a share of 1. Nothing where cancelled.
std::optional<Tensor> attentionRollout(const ModelTrace& trace, Index last,
                                       const ExecutionContext& execution);

}  // namespace headscope::model
