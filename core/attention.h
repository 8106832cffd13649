// Attention: runs the nine steps in order and keeps every result; a step whose operands have not
// changed since the previous trace is skipped and its result shared.
#pragma once

#include "core/steps/step.h"
#include "core/trace.h"

namespace headscope {

/// One pass. `previous` may be null; what it already holds is reused. Null where `execution` was
/// cancelled. Throws UserError where a result is not finite (scores overflow float32), naming it.
TracePtr runAttention(const DocumentPtr& document, const TracePtr& previous = nullptr,
                      const Execution& execution = {});

}  // namespace headscope
