// Steps rail: the nine steps with their formula and the shape they give now; playing through them.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

/// Fills the current card.
void stepsRail(const Panel& panel);

/// Step by step, to the first or last: what the arrow keys and the buttons do.
void stepBy(ViewState& view, int steps);

/// Moves on while playing; asks for frames as long as it does.
void playSteps(const Panel& panel);

}  // namespace headscope::ui
