// Color bar: a colour scale with its numbers.
#pragma once

#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// `height` tall, its top left at `at`.
void colorBar(const Look& look, const ColorScale& scale, ImVec2 at, float height);
float colorBarWidth(const Look& look);

/// Lying down, its numbers beside it, in a row of buttons; `high` names its upper end where that is
/// no number.
void colorStrip(const Look& look, const ColorScale& scale, float width, const char* high = nullptr);
float colorStripWidth(const Look& look, const ColorScale& scale, float width,
                      const char* high = nullptr);

}  // namespace headscope::ui
