// Head grid: pictures of many heads side by side, as equal tiles in the rows and columns that make
// them largest. They are drawn in one go on one scale, with marks, the lit cells and the cell under
// the mouse.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/hover.h"
#include "app/ui/parts/channel_curves.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

struct PanelContext;

// The places of the tiles. Pure: no drawing.

/// Returns the width and height of a picture of square cells; the smaller of them is 1.
ImVec2 matrixAspect(Index rows, Index cols);

struct TileSpace {
  Index count = 1;
  Index columns = 0;          // tiles of a row; 0: as many as make the pictures largest
  ImVec2 room;                // the room for all tiles
  ImVec2 aspect{1.0F, 1.0F};  // the width and height of a picture, in proportion
  float title = 0.0F;         // the height of the title above each picture
  float left = 0.0F, right = 0.0F, below = 0.0F;       // the room for labels of a picture
  float belowFlat = 0.0F;                              // replaces `below` …
  float flatFrom = std::numeric_limits<float>::max();  // … for pictures at least this wide
  float gap = 12.0F;                                   // the gap between tiles in points
  float labelledFrom = 70.0F;                          // the least height of a labelled picture
  // lower pictures than this have labels only at the edges of the grid
  float edgesBelow = 0.0F;
  float stretch = 1.0F;  // the largest factor over `aspect`, to fill the room
  float scale = 1.0F;
};

enum class TileLabels { none, edges, each };

struct TileGrid {
  Index columns = 1, rows = 1;
  ImVec2 place;  // the distance from one tile to the next
  ImVec2 size;   // the size of a picture
  TileLabels labels = TileLabels::none;
  float title = 0.0F;
  float left = 0.0F;   // the width of a tile's own labels
  float below = 0.0F;  // the height of labels below a picture
  float edge = 0.0F;   // the width of labels at the left edge of the grid

  bool labelled() const { return labels != TileLabels::none; }
  /// Returns whether a tile of `count` has labels at its left, at its right or below it.
  bool labelsLeft(Index tile) const;
  bool labelsRight(Index tile, Index count) const;
  bool labelsBelow(Index tile, Index count) const;

  /// The upper left corner of a tile's place and of its picture.
  ImVec2 place0(ImVec2 origin, Index tile) const;
  ImVec2 picture(ImVec2 origin, Index tile) const;
  Rect pictureAt(ImVec2 origin, Index tile) const { return Rect::at(picture(origin, tile), size); }
};

TileGrid layoutTiles(const TileSpace& space);

// The contents of the tiles.

/// Returns the matrix of head `head` of the tensor itself (for k and v, a key/value head).
MatrixRef headMatrix(TensorId tensor, const AttentionConfig& config, Index item, Index head,
                     bool gradient = false);

/// The matrices of all heads of a tensor, on one scale.
class HeadTiles {
 public:
  /// `gradients`: shows the gradients, which the trace must have.
  HeadTiles(const PanelContext& panel, Magnitudes& magnitudes, TensorId tensor,
            bool gradients = false);

  void add(Index head, const Rect& at);
  /// Draws the added tiles: heatmaps, the changes of the last edit, pins and dropped cells.
  void draw(ImDrawList* list);
  const ColorScale& scale() const { return scale_; }
  MatrixRef ref(Index head) const;

  /// Returns the cell under the mouse in a head's rectangle and shows its tooltip.
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

/// The names of the rows and columns that a tile shows, along its sides.
struct TileNames {
  std::span<const std::string> rows, columns;
  Index firstRow = 0, firstColumn = 0;  // the places of the first names on their axes
  Index litRow = -1, litColumn = -1;
  Index chosenRow = -1, chosenColumn = -1;  // named too
  ImFont* font = nullptr;
  bool columnsRight = false;  // for pictures of lines: the columns' names stand at the right
  AxisCurves rowCurves = {}, columnCurves = {};
};
/// Draws the names at the left of a tile, below it, or at its right, where the grid has labels
/// there.
void drawTileNames(const FrameContext& look, ImDrawList* list, const TileGrid& grid, Index tile,
                   Index count, const Rect& picture, const TileNames& names);
/// Lights a row of a tile and one of its cells; −1: none.
void lightTile(const FrameContext& look, ImDrawList* list, const MatrixPlace& place, Index row,
               Index col);

}  // namespace headscope::ui
