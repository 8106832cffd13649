// Stage layout: where the matrices and signs of a step stand. Pure geometry.
#pragma once

#include <vector>

#include "app/ui/stage_items.h"

namespace headscope::ui {

/// Places of the items in a rectangle. All token rows are equally high and all token columns
/// equally wide, so that rows of a product stand at the height of its factor's; where there is room
/// for numbers, columns are up to `widestCell` times as wide as rows are high.
struct StagePlace {
  float x = 0, y = 0, width = 0, height = 0;  // of the matrix itself, or of the sign
};
struct StageMetrics {
  float largestCell;   // a token's cell is at most this high
  float widestCell;    // … and this many times as wide as high
  float numberHeight;  // cells lower than this hold no numbers, and are square
  float rowLabel;      // room left of a matrix with token rows
  float columnLabel;   // room below a matrix with token columns
  float title;         // room above every matrix
  float sign;          // width of a sign
  float shortestSide;  // a feature axis is at least this long, if there is room
};
std::vector<StagePlace> layoutStage(const std::vector<StageItem>& items, float width, float height,
                                    const StageMetrics& metrics);

}  // namespace headscope::ui
