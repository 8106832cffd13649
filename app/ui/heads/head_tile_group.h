// Head tile group: pictures of heads in equal tiles that all show the same part of the tokens, and
// what the mouse does on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/head_pictures.h"
#include "app/ui/heads/tile_title.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/head_grid.h"

namespace headscope::ui {

struct HeadTile {
  Picture picture;
  TileTitle title;
  ImU32 color = 0;
  ColorScale scale;
};

/// The part of the tokens that is shown, and what is lit in it; −1: none.
struct TokensShown {
  TokenRange queries, keys;
  std::vector<std::string> queryLabels, keyLabels;  // of the part
  Index litQuery = -1, litKey = -1;                 // of all tokens
};
TokensShown tokensShown(const Panel& panel);

struct HeadTileGroup {
  const char* id = "";
  ImVec2 origin;
  TileGrid grid;
  int titleLines = 1;
  ImFont* font = nullptr;  // of the labels
  bool lines = false;
  bool framesCompared = true;
  const Figures* figures = nullptr;  // null: not measured yet
  std::vector<HeadTile> tiles;
  const HeadPictures::Drawn* drawn = nullptr;
  const PictureSet* set = nullptr;

  Index count() const { return static_cast<Index>(tiles.size()); }
  ImVec2 a(std::size_t tile) const { return grid.picture(origin, static_cast<Index>(tile)); }
  ImVec2 b(std::size_t tile) const { return {a(tile).x + grid.size.x, a(tile).y + grid.size.y}; }
};

/// What the mouse is doing on tiles, between frames.
struct TileMouse {
  bool dragging = false;
  ImVec2 left;  // of what was dragged, less than a cell
};

/// The cell under the mouse, with its tooltip.
std::optional<Hover> pickInTiles(const Panel& panel, const HeadTileGroup& group,
                                 const TokensShown& shown);
/// Draws the tiles, and does what is done with them: choose, open, compare, zoom and pan.
void headTiles(const Panel& panel, const HeadTileGroup& group, const TokensShown& shown,
               TileMouse& mouse);

}  // namespace headscope::ui
