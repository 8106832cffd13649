// Head grid: one matrix of every head, numbered, all on one scale, in a grid that fits itself to
// their count and the room.
#pragma once

#include <optional>

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Where the timeline stands on all heads: the first so many have been reached, and some room is
/// left below for what it says.
struct HeadGridPlay {
  Index reached = 0;
  float roomBelow = 0.0F;
};

/// All heads of `tensor` in the rest of the current window. Click chooses a head.
void headGrid(const Panel& panel, Magnitudes& magnitudes, TensorId tensor,
              const std::optional<HeadGridPlay>& play = {});

}  // namespace headscope::ui
