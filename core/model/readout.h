// Readout: the logits of the last hidden states, forward and backward.
#pragma once

#include "core/base/execution.h"
#include "core/model/model_weights.h"
#include "core/model/overflow.h"

namespace headscope::model {

/// Computes the logits (1, rows, V) of normalised last hidden states (1, rows, D). Throws UserError
/// where one overflows; `name` names its row. The result is incomplete where `execution` is
/// cancelled.
Tensor logitsOf(const Tensor& hidden, const Readout& readout, const ModelConfig& config,
                const ExecutionContext& execution, const RowName& name);

/// Returns the gradient of `hidden` from `dLogits`, that of the logits (1, rows, V).
Tensor logitsBackward(const Tensor& hidden, const Tensor& dLogits, const Readout& readout,
                      const ModelConfig& config, const ExecutionContext& execution);

}  // namespace headscope::model
