// Channel curves: what stands along an axis of tokens that are no words. The readings of a series'
// channels are small curves along its time steps; all share one strip, and each channel spans it
// from its lowest reading to its highest. The patches of an image are small pictures.
#pragma once

#include <span>

#include "app/ui/frame_context.h"
#include "app/ui/parts/layout.h"
#include "core/base/index.h"
#include "core/document/fwd.h"

namespace headscope {
struct Input;
struct Readings;
}  // namespace headscope

namespace headscope::ui {

enum class Lane;
struct TokenPictures;

/// Returns the colour of a channel, which is one of the heads' colours, counted from the last.
ImU32 channelColor(const Theme& theme, std::size_t channel);

/// The readings along an axis.
struct AxisCurves {
  const FrameContext* look = nullptr;
  const Readings* readings = nullptr;  // null: no series, nothing is drawn
  Index item = 0;
  Index first = 0;                          // the step that the axis begins with
  const TokenPictures* pictures = nullptr;  // of patches; null: the steps are no patches

  bool empty() const { return readings == nullptr && pictures == nullptr; }
  /// The height of the strip next to names of this font, with the gap to them; 0 where there is
  /// none.
  float room(ImFont* font) const;

  /// Draws curves over `count` steps of equal width along a horizontal strip (values grow upwards)
  /// or a vertical one (values grow to the left). Under the mouse a tooltip gives the readings.
  /// `lit`: a marked step; −1: none.
  void drawAcross(ImDrawList* list, const Rect& strip, Index count, Index lit = -1) const;
  void drawDown(ImDrawList* list, const Rect& strip, Index count, Index lit = -1) const;
  /// Draws curves along a horizontal strip, with each step at its own x.
  void drawAt(ImDrawList* list, const Rect& strip, std::span<const float> x) const;
};

/// Returns the curves of an input that is a series, or the pictures of an image's patches; else
/// none.
AxisCurves inputCurves(const FrameContext& look, const Input& input, Index item, Index first = 0);
/// Returns the curves of the tokens along a lane; none where the tokens are no steps of a series.
AxisCurves laneCurves(const FrameContext& look, const Trace& trace, Lane lane, Index item,
                      Index first = 0);

}  // namespace headscope::ui
