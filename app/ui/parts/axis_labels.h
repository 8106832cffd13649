// Axis labels: names (tokens, numbers) along the rows and columns of a picture. Some are left out
// where they would touch; names wider than their column are turned. The channels of a series stand
// as curves between its time steps and the picture.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/frame_context.h"
#include "app/ui/parts/channel_curves.h"
#include "app/ui/parts/layout.h"
#include "core/attention/tensor_id.h"
#include "core/base/index.h"
#include "core/document/fwd.h"

namespace headscope::ui {

enum class Lane;

/// The labels along one axis.
struct AxisLabels {
  std::span<const std::string> texts;  // one for each row or column; empty: nothing
  ImFont* font = nullptr;
  ImU32 color = 0, litColor = 0;
  Index lit = -1;          // always shown, as the one under the mouse is; −1: none
  float limit = 1e6F;      // the largest width of a label in points; longer ones are cut with "…"
  AxisCurves curves = {};  // the channels of a series, between the labels and the picture
  Index first = 0;         // the place of the first label on its axis
  std::optional<float> measured = {};  // namesWidth, shared by all pictures with these labels
  Index chosen = -1;  // always shown too, unless it touches the lit one; −1: none

  bool empty() const { return texts.empty(); }
  /// The width in points of the widest label, at most the limit, and of the curves next to it.
  float width() const { return namesWidth() + curvesRoom(); }
  float namesWidth() const;
  float curvesRoom() const { return empty() ? 0.0F : curves.room(font); }
};

/// The place that the chosen cell has among the query or key tokens, whatever its matrix; −1: none.
Index chosenAlong(Lane lane, const std::optional<CellRef>& chosen);

/// Returns the labels of a lane for a batch item: query or key tokens; none for other lanes.
const std::vector<std::string>& laneTokens(const Trace& trace, Lane lane, Index item);

/// Draws labels of rows, right-aligned, to the left of a picture and `gap` from it.
void drawRowLabels(ImDrawList* list, const AxisLabels& labels, const Rect& picture, float gap);
/// Draws labels of rows, left-aligned, to the right of a picture and `gap` from it.
void drawRowLabelsRight(ImDrawList* list, const AxisLabels& labels, const Rect& picture, float gap);

/// The labels below the columns of a picture. Labels that would touch are turned by 45°, if there
/// is room for that, and only every n-th is shown.
class ColumnLabels {
 public:
  /// For a picture `width` points wide with at most `most` points below it; curves that would take
  /// more are left out. With `most` 0, one line of names and the curves are always shown.
  ColumnLabels(const FrameContext& look, const AxisLabels& labels, float width, float most);
  /// Returns the longest length of a turned label that fits into `room` points below the picture.
  static float longestTurned(const FrameContext& look, const AxisLabels& labels, float room);
  /// Returns the height that turned labels of these widths take below a picture.
  static float turnedRoom(const FrameContext& look, const AxisLabels& labels);
  /// The height of the labels with the gap to the picture, and the part of it that curves take.
  float room() const { return room_; }
  float curvesRoom() const { return labels_.curvesRoom(); }
  bool turned() const { return turned_; }
  /// The approximate number of labels that have room.
  Index shown() const;
  /// The x of their right end, on the line just below the picture.
  float end(const Rect& picture) const;
  void draw(ImDrawList* list, const Rect& picture) const;

 private:
  /// The step between two labels that are drawn.
  Index every() const;

  AxisLabels labels_;
  float cell_, room_, gap_;
  float between_;        // the least gap between two names on a line
  float widest_ = 0.0F;  // the width of the widest name
  bool turned_;
};

/// Draws text turned about `position` by `degrees` (clockwise).
void drawTurnedText(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 color,
                    std::string_view text, float degrees);

}  // namespace headscope::ui
