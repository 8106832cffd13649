// Axis labels: names (tokens, numbers) along the rows and columns of a picture, thinned out where
// they would touch, turned where they are wider than their column. Between the time steps of a
// series and the picture stand its channels, as curves.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/channel_curves.h"
#include "app/ui/parts/layout.h"
#include "core/words/cells.h"

namespace headscope::ui {

/// What stands along an axis.
struct AxisLabels {
  std::span<const std::string> texts;  // one for each row or column; empty: nothing
  ImFont* font = nullptr;
  ImU32 color = 0, litColor = 0;
  Index lit = -1;          // always shown; −1: none
  float limit = 1e6F;      // points a label takes at most; longer ones are cut with "…"
  AxisCurves curves = {};  // of a series: between the labels and the picture
  Index first = 0;         // the place on its axis of the first of them
  std::optional<float> measured = {};  // namesWidth, once for all pictures that they stand at

  bool empty() const { return texts.empty(); }
  /// Points the widest of them takes, at most the limit, and beside it the curves.
  float width() const { return namesWidth() + curvesRoom(); }
  float namesWidth() const;
  float curvesRoom() const { return empty() ? 0.0F : curves.room(font); }
};

/// The labels of a lane for a batch item: query tokens or key tokens; none for other lanes.
const std::vector<std::string>& laneTokens(const Trace& trace, Lane lane, Index item);

/// Labels of rows, right-aligned to the left of a picture, `gap` from it.
void drawRowLabels(ImDrawList* list, const AxisLabels& labels, const Rect& picture, float gap);
/// The same, left-aligned, to its right.
void drawRowLabelsRight(ImDrawList* list, const AxisLabels& labels, const Rect& picture, float gap);

/// Labels below the columns of a picture: where they would touch they are turned by 45°, if there
/// is room for that, and every n-th is left out.
class ColumnLabels {
 public:
  /// For a picture `width` wide, with at most `most` points below it: where curves would take more
  /// they are left out. 0: a line of names, and curves, whatever they take.
  ColumnLabels(const FrameContext& look, const AxisLabels& labels, float width, float most);
  /// How long a label may be that has so much room below the picture, turned.
  static float longestTurned(const FrameContext& look, const AxisLabels& labels, float room);
  /// The height they take, with the gap to the picture; the part of it that curves take.
  float room() const { return room_; }
  float curvesRoom() const { return labels_.curvesRoom(); }
  bool turned() const { return turned_; }
  /// About how many of them have room.
  Index shown() const;
  /// Where they end to the right, on the line just below the picture.
  float end(const Rect& picture) const;
  void draw(ImDrawList* list, const Rect& picture) const;

 private:
  /// Every how many of them one is drawn.
  Index every() const;

  AxisLabels labels_;
  float cell_, room_, gap_;
  float between_;        // the least between two names on a line
  float widest_ = 0.0F;  // of the names
  bool turned_;
};

/// Text turned about `position` by `degrees` (clockwise).
void drawTurnedText(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 color,
                    std::string_view text, float degrees);

}  // namespace headscope::ui
