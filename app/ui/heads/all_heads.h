// All heads: what the card of all heads is made of: controls, pictures in equal tiles that all show
// the same part of the tokens, with their titles, and the map of long inputs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_choice.h"
#include "app/ui/parts/head_grid.h"
#include "app/ui/parts/reduce.h"

namespace headscope::ui {

// The pictures: the heads' matrices in blocks of cells, reduced beside the frames and kept until
// their values change, so that a frame draws thousands of tokens without reading them.

/// Along one axis: the tokens that are reduced, `step` of them to a block; the last may be smaller.
struct AxisBlocks {
  Index first = 0, count = 0, step = 1;

  Index blocks() const { return (count + step - 1) / step; }
  bool holds(Index from, Index tokens) const {
    return from >= first && from + tokens <= first + count;
  }
  bool operator==(const AxisBlocks&) const = default;
};

/// Blocks no smaller than a pixel where `shown` has `pixels`. All tokens where they are few blocks;
/// else a part around what is shown that stays the same for some way of panning.
AxisBlocks blocksFor(const TokenRange& shown, Index n, float pixels);

struct CellBlocks {
  AxisBlocks rows, cols;

  bool holds(const TokenRange& queries, const TokenRange& keys) const {
    return rows.holds(queries.first, queries.count) && cols.holds(keys.first, keys.count);
  }
  /// Several cells to one number.
  bool several() const { return rows.step * cols.step > 1; }
  bool operator==(const CellBlocks&) const = default;
};

/// Which matrix: a head's, the mean over all heads, or `head` less `other`. Beside norm-weighted
/// ones: the head's plain weights, and how its rows shift: each row of what is norm-weighted made
/// to sum to 1, less the weights.
struct HeadPicture {
  enum class Of { head, mean, difference, plain, shift };
  Of of = Of::head;
  Index head = 0, other = 0;

  bool operator==(const HeadPicture&) const = default;
};
/// "Head 3", "Mean over heads", "Head 2 − head 6"
std::string nameOf(const HeadPicture& picture);

/// What is asked for.
struct PictureSpec {
  CellBlocks blocks;
  Reduction how = Reduction::mean;
  std::vector<HeadPicture> pictures;

  bool operator==(const PictureSpec&) const = default;
};

struct PictureSet {
  PictureSpec spec;
  std::vector<std::vector<float>> cells;  // per picture
  std::vector<float> largest;             // per picture: the largest magnitude in it
  Fingerprint revision;                   // of what all of it is made of

  /// The place of a picture in it, if it has it.
  std::optional<std::size_t> find(const HeadPicture& picture) const;
  /// Of one picture; 0 where it is not there.
  float largestOf(const HeadPicture& picture) const;
  /// Over the pictures of a kind; over those of heads and their mean.
  float largestOf(HeadPicture::Of of) const;
  float largestOfAll() const;
};

/// What pictures are made of.
struct PictureSource {
  Index item = 0;
  GridContent content = GridContent::weights;
  Pooling pooling = Pooling::mean;
  Fingerprint kind;    // that, and the shape: pictures of the same kind can stand for each other
  Fingerprint values;  // and all values: where they are the same, so are the pictures
};
PictureSource pictureSource(const PanelContext& panel);

/// What is read once per pass.
struct PassParts {
  std::vector<std::vector<float>> norms;  // ‖v_j W_O,h‖ per head, for norm-weighted content
  Tensor mean;                            // over heads, where it is asked for
  PictureSet overview;                    // every head whole, small
};

/// Reads rows of pictures.
class PictureReader {
 public:
  PictureReader(const Trace& trace, Index item, GridContent content, const PassParts& parts)
      : trace_(trace), item_(item), content_(content), parts_(parts) {}

  /// The cells of a row from column `col0` on; masked ones as gl::kMaskedCell.
  void row(const HeadPicture& picture, Index row, Index col0, std::span<float> cells) const;
  float cell(const HeadPicture& picture, Index row, Index col) const;

 private:
  void plain(Index head, Index row, Index col0, std::span<float> cells) const;
  void head(Index head, Index row, Index col0, std::span<float> cells) const;
  void shift(Index head, Index row, Index col0, std::span<float> cells) const;
  void hide(const HeadPicture& picture, Index row, Index col0, std::span<float> cells) const;

  const Trace& trace_;
  Index item_;
  GridContent content_;
  const PassParts& parts_;
};

/// What has been drawn.
struct HeadPictures {
  PictureSource source;
  std::shared_ptr<const PassParts> parts;
  std::shared_ptr<const PictureSet> grid, compared;
};

/// Both sets of the pass shown: at once where it is little work, else beside. What still holds of
/// `before` is taken over.
Computed<HeadPictures> headPictures(const PanelContext& panel, const PictureSpec& grid,
                                    const PictureSpec& compared,
                                    const std::optional<HeadPictures>& before);

// What is shown.

/// The part of the tokens that is shown, and what is lit in it; −1: none.
struct VisibleTokens {
  TokenRange queries, keys;
  std::vector<std::string> queryNumbers, keyNumbers;    // of all, where the input names fewer
  std::span<const std::string> queryLabels, keyLabels;  // of the part: of the trace, or those
  AxisCurves queryCurves, keyCurves;
  Index litQuery = -1, litKey = -1;  // of all tokens
};
VisibleTokens visibleTokens(const PanelContext& panel);

struct TileTitle {
  std::string name;       // "Head 3"
  std::string shortName;  // "3": where there is no room for more
  std::string figure;     // "max 0.83", "off": stands where there is room for anything
  std::string made;       // "Verb → its subject", or what it measures as
  std::string measured;   // a designed head's: what it measures as
  std::string both;       // in place of the two, where there is one line for them; may be empty
};
/// Made and measured of a head. `figures` may be null: not measured yet.
TileTitle headTitle(const PanelContext& panel, const Figures* figures, Index head);

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
void layOutHeadTiles(HeadTileGroup& group, const FrameContext& look, const VisibleTokens& shown,
                     ImVec2 origin, ImVec2 room);

/// What all rows of a group take of it.
float usedHeight(const HeadTileGroup& group);

/// The width of a picture over its height, as far as it may differ from a square.
ImVec2 pictureAspect(const VisibleTokens& shown, bool lines);

/// A tile's title above its picture at `corner`, lines of words up to the next tile; what has no
/// room is left out.
void drawTileTitle(ImDrawList* list, const FrameContext& look, const HeadTile& tile,
                   const TileGrid& grid, ImVec2 corner, int lines);

// The tiles.

/// What the mouse is doing on tiles, between frames.
struct TileMouse {
  bool dragging = false;
  ImVec2 left;  // of what was dragged, less than a cell
};

/// The cell under the mouse, with its tooltip.
std::optional<Hover> pickInTiles(const PanelContext& panel, const HeadTileGroup& group,
                                 const VisibleTokens& shown);
/// Draws the tiles, and does what is done with them: choose, open, compare, zoom and pan.
void headTiles(const PanelContext& panel, const HeadTileGroup& group, const VisibleTokens& shown,
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
void gridControls(const PanelContext& panel, const Figures* figures, const GridControls& controls);

/// The chosen head whole and small, the part that is shown framed; dragging it pans. Its width at
/// the right of the tiles is 0 where a short input is shown whole. `pictures` may be null.
float minimapWidth(const PanelContext& panel);
void minimap(const PanelContext& panel, const HeadPictures* pictures, const VisibleTokens& shown,
             const GridControls& controls, ImVec2 at);

}  // namespace headscope::ui
