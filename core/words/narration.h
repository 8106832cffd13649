// Narration: describes a moment of the timeline in one or two sentences, with the tokens and the
// trace's own numbers.
#pragma once

#include <string>

#include "core/document/fwd.h"
#include "core/words/moments.h"

namespace headscope {

std::string narrate(const Trace& trace, const RowRef& subject, const TimelineSegment& moment);

/// The key at which a query's row of scores or weights is largest; −1 where all of it is masked.
Index largestKey(const Trace& trace, TensorId tensor, Index item, Index head, Index query);

}  // namespace headscope
