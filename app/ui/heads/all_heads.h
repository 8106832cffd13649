// All heads: what the card of all heads is made of: controls, pictures in equal tiles that all show
// the same part of the tokens, with their titles, and the map of long inputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/head_pictures.h"
#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_choice.h"
#include "app/ui/parts/head_grid.h"

namespace headscope::ui {

// What is shown.

/// The part of the tokens that is shown, and what is lit in it; −1: none.
struct VisibleTokens {
  TokenRange queries, keys;
  std::vector<std::string> queryLabels, keyLabels;  // of the part
  Index litQuery = -1, litKey = -1;                 // of all tokens
};
VisibleTokens visibleTokens(const Panel& panel);

struct TileTitle {
  std::string name;       // "Head 3"
  std::string shortName;  // "3": where there is no room for more
  std::string figure;     // "max 0.83", "off": stands where there is room for anything
  std::string made;       // "Verb → its subject", or what it measures as
  std::string measured;   // a designed head's: what it measures as
  std::string both;       // in place of the two, where there is one line for them; may be empty
};
/// Made and measured of a head. `figures` may be null: not measured yet.
TileTitle headTitle(const Panel& panel, const Figures* figures, Index head);

struct HeadTile {
  HeadPicture picture;
  TileTitle title;
  ImU32 color = 0;
  ColorScale scale;
};

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
  const HeadPictures* drawn = nullptr;
  std::shared_ptr<const PictureSet> set;

  Index count() const { return static_cast<Index>(tiles.size()); }
  /// Where the picture of a tile stands.
  Rect at(std::size_t tile) const {
    return Rect::at(grid.picture(origin, static_cast<Index>(tile)), grid.size);
  }
  MatrixPlace place(std::size_t tile, const VisibleTokens& shown) const {
    return {at(tile), shown.queries.count, shown.keys.count};
  }
};

// Their layout.

/// Places the group's tiles, whose titles are known, in `room` at `origin`.
void layOutHeadTiles(HeadTileGroup& group, const Look& look, const VisibleTokens& shown,
                     ImVec2 origin, ImVec2 room);

/// What all rows of a group take of it.
float usedHeight(const HeadTileGroup& group);

/// The width of a picture over its height, as far as it may differ from a square.
ImVec2 pictureAspect(const VisibleTokens& shown, bool lines);

/// A tile's title above its picture; what has no room is left out.
void drawTileTitle(ImDrawList* list, const Look& look, const HeadTile& tile, const Rect& picture,
                   int lines);

// The tiles.

/// What the mouse is doing on tiles, between frames.
struct TileMouse {
  bool dragging = false;
  ImVec2 left;  // of what was dragged, less than a cell
};

/// The cell under the mouse, with its tooltip.
std::optional<Hover> pickInTiles(const Panel& panel, const HeadTileGroup& group,
                                 const VisibleTokens& shown);
/// Draws the tiles, and does what is done with them: choose, open, compare, zoom and pan.
void headTiles(const Panel& panel, const HeadTileGroup& group, const VisibleTokens& shown,
               TileMouse& mouse);
/// How many tokens a line may stand for at one end, so that `heads` pictures of this height stay
/// readable and quick to draw.
Index lineEnds(float height, Index heads, float scale);

// Around them.

struct GridControls {
  ColorScale scale;     // what the strip shows
  Index queryStep = 1;  // tokens to a block
  Index keyStep = 1;
};
/// The switches above the grid, and the words that belong to them. Changes the view; the grid fills
/// what is left below. `figures` may be null: not measured yet.
void gridControls(const Panel& panel, const Figures* figures, const GridControls& controls);

/// The chosen head whole and small, the part that is shown framed; dragging it pans. Its width at
/// the right of the tiles is 0 where a short input is shown whole. `pictures` may be null.
float minimapWidth(const Panel& panel);
void minimap(const Panel& panel, const HeadPictures* pictures, const VisibleTokens& shown,
             const GridControls& controls, ImVec2 at);

}  // namespace headscope::ui
