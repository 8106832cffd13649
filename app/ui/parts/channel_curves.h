// Channel curves: what the channels of a series read, as small curves along an axis whose names are
// time steps, all in one strip, each channel from its lowest reading to its highest.
#pragma once

#include <span>

#include "app/ui/panel.h"
#include "app/ui/parts/layout.h"
#include "core/words/cells.h"

namespace headscope::ui {

/// A channel's colour, the same everywhere: those of heads from the other end.
ImU32 channelColor(const Theme& theme, std::size_t channel);

/// The readings along an axis.
struct AxisCurves {
  const FrameContext* look = nullptr;
  const Readings* readings = nullptr;  // null: no series, nothing is drawn
  Index item = 0;
  Index first = 0;  // the step that the axis begins with

  bool empty() const { return readings == nullptr; }
  /// How high the strip is beside names of this font, with the gap to them; 0 where there is none.
  float room(ImFont* font) const;

  /// Curves over `count` steps of equal width: across a strip, upwards, or down it, to the left.
  /// The mouse on it is told what was read there. `lit`: a step that is marked; −1: none.
  void drawAcross(ImDrawList* list, const Rect& strip, Index count, Index lit = -1) const;
  void drawDown(ImDrawList* list, const Rect& strip, Index count, Index lit = -1) const;
  /// The same across, with each step at a place of its own.
  void drawAt(ImDrawList* list, const Rect& strip, std::span<const float> x) const;
};

/// Of an input's steps, where it is a series.
AxisCurves inputCurves(const FrameContext& look, const Input& input, Index item, Index first = 0);
/// Those of the tokens along a lane; none where they are no steps of a series.
AxisCurves laneCurves(const FrameContext& look, const Trace& trace, Lane lane, Index item,
                      Index first = 0);

}  // namespace headscope::ui
