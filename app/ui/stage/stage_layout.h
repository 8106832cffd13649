// Stage layout: where the matrices of a step and the signs between them stand. Pure: no drawing.
#pragma once

#include <vector>

#include "app/ui/stage/stage_items.h"

namespace headscope::ui {

/// Places of the items in a rectangle. All token rows are equally high and all token columns
/// equally wide, so that rows of a product stand at the height of its factor's; where there is room
/// for numbers, columns are up to `widestCell` times as wide as rows are high. Features share the
/// rest equally, but where few of them can hold their numbers they get what those need of what
/// others can do without. In an upright rectangle the result stands below what it is made of.
struct StageMetrics {
  float largestCell;   // a token's cell is at most this high
  float widestCell;    // … and this many times as wide as high
  float numberHeight;  // cells lower than this hold no numbers, and are square
  float turnedNumber;  // columns of features as wide hold numbers that are turned
  float rowLabel;      // room left of a matrix with token rows
  float axisName;      // … and with token columns beside it
  float columnLabel;   // room below a matrix with token columns
  float title;         // room above every matrix
  float sign;          // width of a sign
  float word;          // … that is a word
  float shortestSide;  // a feature axis is at least this long, if there is room
};
/// One rectangle for each item: of the matrix itself, or of the sign.
std::vector<Rect> layoutStage(const std::vector<StageItem>& items, const Rect& room,
                              const StageMetrics& metrics);

}  // namespace headscope::ui
