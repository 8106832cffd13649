// Tile grid: equal tiles in the rows and columns that make them largest. Pure: no drawing.
#pragma once

#include <imgui.h>

#include <limits>

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
  float belowFlat = 0.0F;                         // in place of `below`
  float flatFrom = std::numeric_limits<float>::max();  // for pictures of this width
  float gap = 12.0F;                                   // points between tiles
  float labelledFrom = 70.0F;                          // points of a picture's height
  // pictures that would be less high with labels of their own have them at the grid's edges alone
  float edgesBelow = 0.0F;
  float stretch = 1.0F;  // how many times as wide or high as `aspect` they may be, to fill the room
  float scale = 1.0F;
};

enum class TileLabels { none, edges, each };

struct TileGrid {
  Index columns = 1, rows = 1;
  ImVec2 place;  // from one tile to the next
  ImVec2 size;   // of a picture
  TileLabels labels = TileLabels::none;
  float title = 0.0F;
  float left = 0.0F;   // a tile's own labels
  float below = 0.0F;  // labels below a picture
  float edge = 0.0F;   // those at the grid's left edge

  bool labelled() const { return labels != TileLabels::none; }
  /// Whether a tile of `count` has labels beside and below it.
  bool labelsLeft(Index tile) const;
  bool labelsRight(Index tile, Index count) const;
  bool labelsBelow(Index tile, Index count) const;

  /// The upper left corner of a tile's place, and of its picture.
  ImVec2 place0(ImVec2 origin, Index tile) const;
  ImVec2 picture(ImVec2 origin, Index tile) const;
};

TileGrid layoutTiles(const TileSpace& space);

}  // namespace headscope::ui
