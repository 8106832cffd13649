// Narration: what happens at a moment of the timeline, in one or two sentences that name the tokens
// and the trace's own numbers. Pure: no drawing.
#pragma once

#include <string>

#include "app/ui/timeline/moments.h"

namespace headscope::ui {

std::string narrate(const Trace& trace, const Subject& subject, const Moment& moment);

}  // namespace headscope::ui
