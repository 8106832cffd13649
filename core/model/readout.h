// Readout: the logits of the last hidden states, forward and backward.
#pragma once

#include "core/base/execution.h"
#include "core/model/model_weights.h"
#include "core/model/overflow.h"

namespace headscope::model {

/// The normalised last hidden states (1, T, D) as the readout takes them: a row for each token, or
/// one row (Reads).
Tensor readoutInput(const Tensor& last, const ModelConfig& config);
/// Returns the gradient of `last`, of shape (1, T, D), from that of row `row` of it: (1, 1, E).
Tensor readoutInputBackward(const Tensor& dRow, Index row, const Shape& shape,
                            const ModelConfig& config);

/// Computes the logits (1, rows, V) of normalised last hidden states (1, rows, E). Throws UserError
/// where one overflows; `name` names its row. The result is incomplete where `execution` is
/// cancelled.
Tensor logitsOf(const Tensor& hidden, const Readout& readout, const ModelConfig& config,
                const ExecutionContext& execution, const RowName& name);

/// Returns the gradient of `hidden` from `dLogits`, that of the logits (1, rows, V).
Tensor logitsBackward(const Tensor& hidden, const Tensor& dLogits, const Readout& readout,
                      const ModelConfig& config, const ExecutionContext& execution);

}  // namespace headscope::model
