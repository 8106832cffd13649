// Color bar: a colour scale with its numbers.
#pragma once

#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// Draws an upright bar `height` points tall with its upper left corner at `at`.
void colorBar(const FrameContext& look, const ColorScale& scale, ImVec2 at, float height);
float colorBarWidth(const FrameContext& look);

/// Draws a horizontal bar with its numbers next to it, for a row of buttons. `high` names the upper
/// end where it is no number.
void colorStrip(const FrameContext& look, const ColorScale& scale, float width,
                const char* high = nullptr);
float colorStripWidth(const FrameContext& look, const ColorScale& scale, float width,
                      const char* high = nullptr);

}  // namespace headscope::ui
