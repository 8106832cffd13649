// Head grid: pictures of many heads side by side: equal tiles in the rows and columns that make
// them largest, drawn in one go on one scale, with what is marked, lit and under the mouse in them.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/parts/channel_curves.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

// Where the tiles stand. Pure: no drawing.

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
  Rect pictureAt(ImVec2 origin, Index tile) const { return Rect::at(picture(origin, tile), size); }
};

TileGrid layoutTiles(const TileSpace& space);

// What is in them.

/// A matrix of head `head` of the tensor itself (not of the query head that reads it).
MatrixRef headMatrix(TensorId tensor, const AttentionConfig& config, Index item, Index head,
                     bool gradient = false);

/// The matrices of a tensor's heads, all on one scale.
class HeadTiles {
 public:
  /// `gradients`: theirs, which the trace has.
  HeadTiles(const PanelContext& panel, Magnitudes& magnitudes, TensorId tensor,
            bool gradients = false);

  void add(Index head, const Rect& at);
  /// Draws what was added: heatmaps, what the last edit changed, pins and dropped cells.
  void draw(ImDrawList* list);
  const ColorScale& scale() const { return scale_; }
  MatrixRef ref(Index head) const;

  /// The cell under the mouse in a head's rectangle: shows its tooltip, gives where it lies.
  std::optional<Hover> pick(Index head, const Rect& at) const;

 private:
  struct Tile {
    MatrixRef ref;
    Rect at;
  };

  const PanelContext& panel_;
  TensorId tensor_;
  bool gradients_;
  ColorScale scale_;
  std::vector<Tile> added_;
};

/// Names along the sides of a tile, of the rows and columns that it shows.
struct TileNames {
  std::span<const std::string> rows, columns;
  Index firstRow = 0, firstColumn = 0;  // the places on their axes of the first of them
  Index litRow = -1, litColumn = -1;
  ImFont* font = nullptr;
  bool columnsRight = false;  // of a picture of lines: the columns' names stand at its right
  AxisCurves rowCurves = {}, columnCurves = {};
};
/// Left of and below a tile, or right of it, where it has labels there.
void drawTileNames(const FrameContext& look, ImDrawList* list, const TileGrid& grid, Index tile,
                   Index count, const Rect& picture, const TileNames& names);
/// A row of a tile lit, and a cell of it; −1: none.
void lightTile(const FrameContext& look, ImDrawList* list, const MatrixPlace& place, Index row,
               Index col);

}  // namespace headscope::ui
