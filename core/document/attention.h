// Attention: a pass over a document, every result kept.
#pragma once

#include "core/attention/run_steps.h"
#include "core/base/execution.h"
#include "core/document/trace.h"

namespace headscope {

/// One pass. `previous` may be null. Null where `execution` was cancelled. Throws UserError where a
/// result is not finite (scores overflow float32), naming it.
TracePtr runAttention(const DocumentPtr& document, const TracePtr& previous = nullptr,
                      const ExecutionContext& execution = {});

/// runAttention for one of several layers that share a store of memory. The caller sets how much of
/// the store may lie free; runAttention sets what one pass needs.
TracePtr runLayerAttention(const DocumentPtr& document, const TracePtr& previous,
                           const ExecutionContext& execution);

/// How much of a store may lie free between passes of this document: what one of them needs.
void keepForPasses(BlockStore& memory, const Document& document);

}  // namespace headscope
