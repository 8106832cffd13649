// Head grid: one matrix of every head, numbered, all on one scale, in a grid that fits itself to
// their count and the room.
#pragma once

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// All heads of `tensor` in the rest of the current window. Click chooses a head.
void headGrid(const Panel& panel, Magnitudes& magnitudes, TensorId tensor);

}  // namespace headscope::ui
