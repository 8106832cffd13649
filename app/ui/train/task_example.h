// Task example: the picture of one example of a training task.
#pragma once

#include <cstddef>

#include "app/live_training.h"
#include "app/ui/frame_context.h"

namespace headscope::ui {

/// Draws a moment's example into the room: its places one below the other on both sides, and a line
/// from each place to its partners in the relation; above them the curves of a series.
void drawTaskExample(const FrameContext& look, const TrainingMoment& moment, std::size_t relation,
                     Rect room);

}  // namespace headscope::ui
