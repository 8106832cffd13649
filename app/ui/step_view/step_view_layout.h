// Step view layout: the places of a step's matrices and of the signs between them. Pure: no
// drawing.
#pragma once

#include <vector>

#include "app/ui/step_view/step_view_items.h"

namespace headscope::ui {

/// The sizes that a layout obeys, in points. All token rows have one height and all token columns
/// one width, so that the rows of a product align with those of its factor. Where numbers fit,
/// token columns are up to `widestCell` times as wide as rows are high. Feature axes share the rest
/// equally, but an axis with few features takes the width of its numbers from others that do not
/// need theirs. In an upright rectangle the result stands below its operands.
struct StepViewMetrics {
  float largestCell;   // the largest height of a token's cell
  float widestCell;    // … and its largest width, as a factor of its height
  float numberHeight;  // cells lower than this hold no numbers, and are square
  float rowLabel;      // the room left of a matrix with token rows
  float axisName;      // … and the room added where it has token columns, too
  float columnLabel;   // the room below a matrix with token columns
  float title;         // the room above every matrix
  float sign;          // the width of a sign
  float word;          // the width of a sign that is a word
  float shortestSide;  // the least length of a feature axis, if there is room
  // In a rectangle wider than this, which scrolls, a result below its operands stays in sight where
  // its numbers have room; 0: it does not scroll.
  float shownWidth;
};
/// Returns one rectangle for each item: of the matrix itself, or of the sign.
std::vector<Rect> layoutStepView(const std::vector<StepViewItem>& items, const Rect& room,
                                 const StepViewMetrics& metrics);

}  // namespace headscope::ui
