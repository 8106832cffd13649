// Adapter change: how much a LoRA adapter changes the weights of each head.
#pragma once

#include <vector>

#include "core/base/execution.h"
#include "core/model/model.h"

namespace headscope::model {

/// Returns for each head of a layer ‖ΔW‖ / ‖W‖ (Frobenius): of its rows of W_Q, those of W_K and
/// W_V that it reads, and its columns of W_O together, against the same of the base.
std::vector<double> adapterChange(const Weights& base, const Weights& adapted,
                                  const ModelConfig& config);

/// The change of every head of a model with an adapter, layer by layer. Incomplete where
/// `execution` is cancelled.
std::vector<double> adapterChanges(const Model& model, const ExecutionContext& execution);

}  // namespace headscope::model
