// Head grid: one matrix of every head, numbered, all on one scale; a grid that fits itself to the
// room, or one row that scrolls.
#pragma once

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// All heads of `tensor` in the rest of the current window. Click chooses a head.
void headGrid(const Panel& panel, Magnitudes& magnitudes, TensorId tensor);

/// The heads strip: every head's weights in a row, with its number and columns. Click chooses.
void headsStrip(const Panel& panel, Magnitudes& magnitudes);

/// A bar of the colour scale with its numbers, `height` tall, its top left at `at`.
void colorBar(const Look& look, const ColorScale& scale, ImVec2 at, float height);
float colorBarWidth(const Look& look);

}  // namespace headscope::ui
