// The parts of the card of all heads: the controls, the pictures of the heads in equal tiles that
// all show one part of the tokens, their titles, and the map of long inputs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/view_model/choice.h"
#include "app/ui/heads/view_model/grid.h"
#include "app/ui/hover.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/head_grid.h"

namespace headscope::ui {

// The tokens shown.

/// The part of the tokens that is shown, and the highlighted tokens; −1: none.
struct VisibleTokens {
  TokenRange queries, keys;
  std::vector<std::string> queryNumbers, keyNumbers;    // place names of all tokens
  std::span<const std::string> queryLabels, keyLabels;  // names of the part
  AxisCurves queryCurves, keyCurves;
  Index litQuery = -1, litKey = -1;  // indices among all tokens
  LooksAt asked;                     // the tokens that the looks card speaks of
};
VisibleTokens visibleTokens(const PanelContext& panel);

struct HeadTileGroup {
  const char* id = "";
  ImVec2 origin;
  TileGrid grid;
  int titleLines = 1;
  ImFont* font = nullptr;  // font of the labels
  bool lines = false;
  bool arcs = false;  // over the written sentence
  bool framesCompared = true;
  std::vector<GridTile> tiles;
  std::vector<ColorScale> scales;  // of the tiles
  const HeadPictures* drawn = nullptr;
  std::shared_ptr<const PictureSet> set;

  Index count() const { return static_cast<Index>(tiles.size()); }
  /// Returns the rectangle of a tile's picture.
  Rect at(std::size_t tile) const {
    return Rect::at(grid.picture(origin, static_cast<Index>(tile)), grid.size);
  }
  MatrixPlace place(std::size_t tile, const VisibleTokens& shown) const {
    return {at(tile), shown.queries.count, shown.keys.count};
  }
};

// Layout of the tiles.

/// Places the group's tiles in `room` at `origin`. Their titles must be set.
void layOutHeadTiles(HeadTileGroup& group, const FrameContext& look, const VisibleTokens& shown,
                     ImVec2 origin, ImVec2 room);

/// Returns the height of all rows of a group.
float usedHeight(const HeadTileGroup& group);

/// Returns the aspect (width, height) of a picture in cells, lines or arcs; its stretch is limited.
ImVec2 pictureAspect(const VisibleTokens& shown, GridDrawing drawing);

/// Returns a head's own colour; the text's for pictures of several heads.
ImU32 tileColor(const Theme& theme, const HeadPicture& picture);

/// Draws a tile's title above its picture at `corner`. Lines of words may reach to the next tile;
/// text without room is omitted.
void drawTileTitle(ImDrawList* list, const FrameContext& look, const GridTile& tile,
                   const TileGrid& grid, ImVec2 corner, int lines);

// Drawing of the tiles and input.

/// The state of a drag on tiles, kept between frames.
struct TileMouse {
  bool dragging = false;
  ImVec2 left;  // the dragged remainder, less than one token
};

/// Returns the cell under the mouse and shows its tooltip.
std::optional<Hover> pickInTiles(const PanelContext& panel, const HeadsState& state,
                                 const HeadTileGroup& group, const VisibleTokens& shown);
/// Draws the tiles and handles their input: choosing, opening, comparing, zooming and panning.
void headTiles(const PanelContext& panel, const HeadsState& state, const HeadTileGroup& group,
               const VisibleTokens& shown, TileMouse& mouse);

// Controls and map around the tiles.

/// Draws the switches and sentences above the grid, and changes the view. The grid takes the
/// remaining height. `scale`: that of the colour strip.
void gridControls(const PanelContext& panel, const HeadsState& state, const ColorScale& scale,
                  const CellStep& step);

/// The map of the whole chosen head at the right of the tiles, with a frame around the part shown;
/// dragging the frame pans. minimapWidth returns its width; 0 where a short input is shown whole.
/// `pictures` may be null.
float minimapWidth(const PanelContext& panel);
void minimap(const PanelContext& panel, const HeadsState& state, const HeadPictures* pictures,
             const VisibleTokens& shown, const ColorScale& scale, const CellStep& step, ImVec2 at);

}  // namespace headscope::ui
