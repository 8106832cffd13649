// Attribution patching (Nanda 2023, "Attribution Patching: Activation Patching At Industrial
// Scale"): the effect of other values in a pass, estimated to first order as gradient × (other −
// own). One backward pass gives the estimates for every head and every place, which are exact only
// for small differences.
#pragma once

#include <vector>

#include "core/model/model_gradients.h"
#include "core/model/patching.h"

namespace headscope::model {

/// The estimated effect of each patch on the number that is read. Throws UserError as
/// gradientsOfLogit does. Zeros where cancelled.
std::vector<double> estimatedEffects(const ModelTracePtr& base, const std::vector<Patch>& patches,
                                     const AskedWord& asked, const ExecutionContext& execution);

}  // namespace headscope::model
