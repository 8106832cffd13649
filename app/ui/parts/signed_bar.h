// Signed bars: horizontal bars of values of both signs above each other, from one line of zero.
#pragma once

#include <algorithm>

#include "app/ui/frame_context.h"
#include "app/ui/parts/layout.h"

namespace headscope::ui {

/// The range of the bars, from the lowest negative value to the largest.
struct BarRange {
  double low = 0.0, high = 0.0;

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// The place of a value in the range, from 0 to 1.
  float shareOf(double value) const {
    return high > low ? static_cast<float>(std::clamp((value - low) / (high - low), 0.0, 1.0))
                      : 0.0F;
  }
};
/// Draws a bar from the range's zero to a value, to the left where it is negative, and the zero as
/// a line where values of both signs are there.
void drawSignedBar(const FrameContext& look, ImDrawList* list, const Rect& room,
                   const BarRange& range, double value, ImU32 color);

}  // namespace headscope::ui
