// Color bar: a colour scale with its numbers.
#pragma once

#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// `height` tall, its top left at `at`.
void colorBar(const FrameContext& look, const ColorScale& scale, ImVec2 at, float height);
float colorBarWidth(const FrameContext& look);

/// Lying down, its numbers beside it, in a row of buttons; `high` names its upper end where that is
/// no number.
void colorStrip(const FrameContext& look, const ColorScale& scale, float width,
                const char* high = nullptr);
float colorStripWidth(const FrameContext& look, const ColorScale& scale, float width,
                      const char* high = nullptr);

}  // namespace headscope::ui
