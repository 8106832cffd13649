// Tile grid: equal tiles in the rows and columns that make them largest. Pure: no drawing.
#pragma once

#include <imgui.h>

#include "core/tensor.h"

namespace headscope::ui {

/// Width and height of a picture of a matrix with square cells, the smaller of them 1.
ImVec2 matrixAspect(Index rows, Index cols);

struct TileSpace {
  Index count = 1;
  ImVec2 room;                                    // for all of them
  ImVec2 aspect{1.0F, 1.0F};                      // of a picture
  float title = 0.0F;                             // above each
  float left = 0.0F, right = 0.0F, below = 0.0F;  // its labels, where it is large enough for them
  float gap = 12.0F;                              // points between tiles
  float labelledFrom = 70.0F;                     // points of a picture's height
  float scale = 1.0F;
};

struct TileGrid {
  Index columns = 1, rows = 1;
  ImVec2 place;           // from one tile to the next
  ImVec2 size;            // of a picture
  bool labelled = false;  // both axes: large enough
  float title = 0.0F, left = 0.0F;

  /// The upper left corner of a tile's place, and of its picture.
  ImVec2 place0(ImVec2 origin, Index tile) const;
  ImVec2 picture(ImVec2 origin, Index tile) const;
};

TileGrid layoutTiles(const TileSpace& space);

}  // namespace headscope::ui
