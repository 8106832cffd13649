// Attention: computes a pass over a document and keeps every result.
#pragma once

#include "core/attention/run_steps.h"
#include "core/base/execution.h"
#include "core/document/trace.h"

namespace headscope {

/// Computes one pass. `previous` may be null. Null where `execution` was cancelled. Throws
/// UserError where a result is not finite (scores overflow float32), naming it.
TracePtr runAttention(const DocumentPtr& document, const TracePtr& previous = nullptr,
                      const ExecutionContext& execution = {});

/// The weights in the layout of products: kept for the next pass, or packed again by it.
enum class PackedAfter { kept, dropped };

/// runAttention for one of several layers that share a store of memory. The caller sets the unused
/// bytes that the store may keep; runAttention sets the bytes that one pass needs.
TracePtr runLayerAttention(const DocumentPtr& document, const TracePtr& previous,
                           const ExecutionContext& execution,
                           PackedAfter packed = PackedAfter::kept);

/// The unused bytes that a store may keep between passes of this document: the need of one pass.
void keepForPasses(BlockStore& memory, const Document& document);

}  // namespace headscope
