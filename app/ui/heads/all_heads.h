// The parts of the card of all heads: the controls, the pictures of the heads in equal tiles that
// all show one part of the tokens, their titles, and the map of long inputs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_choice.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/hover.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/head_grid.h"
#include "app/ui/parts/reduce.h"

namespace headscope::ui {

// The pictures: the heads' matrices, reduced to blocks of cells on a background thread and kept
// until their values change, so that a frame draws thousands of tokens without reading them.

/// The tokens of one axis that are reduced, `step` to a block. The last block may be smaller.
struct AxisBlocks {
  Index first = 0, count = 0, step = 1;

  Index blocks() const { return (count + step - 1) / step; }
  bool holds(Index from, Index tokens) const {
    return from >= first && from + tokens <= first + count;
  }
  bool operator==(const AxisBlocks&) const = default;
};

/// Returns blocks no smaller than a pixel where `shown` takes `pixels`. They cover all tokens where
/// few blocks suffice, else a part around `shown` that stays unchanged during short pans.
AxisBlocks blocksFor(const TokenRange& shown, Index n, float pixels);

struct CellBlocks {
  AxisBlocks rows, cols;

  bool holds(const TokenRange& queries, const TokenRange& keys) const {
    return rows.holds(queries.first, queries.count) && cols.holds(keys.first, keys.count);
  }
  /// Whether a block covers more than one cell.
  bool several() const { return rows.step * cols.step > 1; }
  bool operator==(const CellBlocks&) const = default;
};

/// The matrix of one picture: a head's, the mean over all heads, or `head` minus `other`. `plain`
/// and `shift` accompany norm-weighted pictures: `plain` is the head's weights; `shift` is the
/// norm-weighted matrix with each row scaled to sum to 1, minus the weights.
struct HeadPicture {
  enum class Of { head, mean, difference, plain, shift };
  Of of = Of::head;
  Index head = 0, other = 0;

  bool operator==(const HeadPicture&) const = default;
};
/// Returns "Head 3", "Mean over heads" or "Head 2 − head 6".
std::string nameOf(const HeadPicture& picture);

/// The pictures that a group of tiles needs.
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
  Fingerprint revision;                   // of the values and the spec

  /// Returns the index of a picture, if the set has it.
  std::optional<std::size_t> find(const HeadPicture& picture) const;
  /// Returns the largest magnitude of one picture; 0 where the set lacks it.
  float largestOf(const HeadPicture& picture) const;
  /// Returns the largest magnitude over the pictures of one kind.
  float largestOf(HeadPicture::Of of) const;
  float largestOfAll() const;
};

/// The content that pictures show, with fingerprints of its kind and its values.
struct PictureSource {
  Index item = 0;
  GridContent content = GridContent::weights;
  Pooling pooling = Pooling::mean;
  Fingerprint kind;    // of content and shape; pictures of one kind can replace each other
  Fingerprint values;  // of kind and values; equal fingerprints mean equal pictures
};
PictureSource pictureSource(const PanelContext& panel);

/// The data that pictures share, computed once per pass.
struct PassParts {
  std::vector<std::vector<float>> norms;  // ‖v_j W_O,h‖ per head, for norm-weighted content
  Tensor mean;                            // over heads, where a picture needs it
  PictureSet overview;                    // all tokens of every head, in few blocks
};

/// Computes rows of pictures.
class PictureReader {
 public:
  PictureReader(const Trace& trace, Index item, GridContent content, const PassParts& parts)
      : trace_(trace), item_(item), content_(content), parts_(parts) {}

  /// Writes the cells of a row from column `col0` on; masked cells are gl::kMaskedCell.
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

/// The pictures computed last, and their source.
struct HeadPictures {
  PictureSource source;
  std::shared_ptr<const PassParts> parts;
  std::shared_ptr<const PictureSet> grid, compared;
};

/// Returns both sets for the pass shown: at once where the work is small, else from a background
/// thread. Parts of `before` that are still valid are reused.
Computed<HeadPictures> headPictures(const PanelContext& panel, const PictureSpec& grid,
                                    const PictureSpec& compared,
                                    const std::optional<HeadPictures>& before);

// The tokens shown.

/// The part of the tokens that is shown, and the highlighted tokens; −1: none.
struct VisibleTokens {
  TokenRange queries, keys;
  std::vector<std::string> queryNumbers, keyNumbers;    // place names of all tokens
  std::span<const std::string> queryLabels, keyLabels;  // names of the part
  AxisCurves queryCurves, keyCurves;
  Index litQuery = -1, litKey = -1;  // indices among all tokens
};
VisibleTokens visibleTokens(const PanelContext& panel);

struct TileTitle {
  std::string name;       // "Head 3"
  std::string shortName;  // "3", for narrow tiles
  std::string figure;     // "max 0.83" or "off"; has precedence over the words
  std::string made;       // "Verb → its subject", or the measured label
  std::string measured;   // of a head with a purpose: the measured label
  std::string both;       // replaces `made` and `measured` on a single line; may be empty
};
/// Returns the title of a head's tile. `figures` may be null while nothing is measured.
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
  ImFont* font = nullptr;  // font of the labels
  bool lines = false;
  bool framesCompared = true;
  const Figures* figures = nullptr;  // null while nothing is measured
  std::vector<HeadTile> tiles;
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

/// Returns the aspect (width, height) of a picture; its stretch is limited.
ImVec2 pictureAspect(const VisibleTokens& shown, bool lines);

/// Draws a tile's title above its picture at `corner`. Lines of words may reach to the next tile;
/// text without room is omitted.
void drawTileTitle(ImDrawList* list, const FrameContext& look, const HeadTile& tile,
                   const TileGrid& grid, ImVec2 corner, int lines);

// Drawing of the tiles and input.

/// The state of a drag on tiles, kept between frames.
struct TileMouse {
  bool dragging = false;
  ImVec2 left;  // the dragged remainder, less than one token
};

/// Returns the cell under the mouse and shows its tooltip.
std::optional<Hover> pickInTiles(const PanelContext& panel, const HeadTileGroup& group,
                                 const VisibleTokens& shown);
/// Draws the tiles and handles their input: choosing, opening, comparing, zooming and panning.
void headTiles(const PanelContext& panel, const HeadTileGroup& group, const VisibleTokens& shown,
               TileMouse& mouse);
/// Returns the number of ends that lines have on each side of a picture of this height, so that
/// `heads` pictures stay readable and quick to draw.
Index lineEnds(float height, Index heads, float scale);

// Controls and map around the tiles.

struct GridControls {
  ColorScale scale;     // the scale of the colour strip
  Index queryStep = 1;  // tokens per block
  Index keyStep = 1;
};
/// Draws the switches and sentences above the grid, and changes the view. The grid takes the
/// remaining height. `figures` may be null while nothing is measured.
void gridControls(const PanelContext& panel, const Figures* figures, const GridControls& controls);

/// The map of the whole chosen head at the right of the tiles, with a frame around the part shown;
/// dragging the frame pans. minimapWidth returns its width; 0 where a short input is shown whole.
/// `pictures` may be null.
float minimapWidth(const PanelContext& panel);
void minimap(const PanelContext& panel, const HeadPictures* pictures, const VisibleTokens& shown,
             const GridControls& controls, ImVec2 at);

}  // namespace headscope::ui
