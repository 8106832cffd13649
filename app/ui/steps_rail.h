// Steps rail: the nine steps with their formula and the shape they give now; playing through them.
#pragma once

#include "app/ui/panel.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// Fills the current card.
void stepsRail(const Panel& panel, const Playback& playback);

}  // namespace headscope::ui
