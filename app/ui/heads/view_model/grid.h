// Grid: what the card of all heads shows, without drawing: its tiles in order with their titles,
// the pictures and colour ranges of the tiles, and the sentences about all of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/ui/head_purposes.h"
#include "app/ui/heads/view_model/choice.h"
#include "app/ui/heads/view_model/pictures.h"
#include "app/ui/hover.h"
#include "app/ui/stage/head_story.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

/// All that the content of the heads page depends on.
struct HeadsState {
  const Trace& trace;
  const HeadsView& view;
  Index item = 0, head = 0;                            // chosen
  const std::vector<HeadPurpose>* purposes = nullptr;  // null or empty: unknown
  const HeadReport* report = nullptr;                  // null while nothing is measured

  bool lines() const { return view.drawing == GridDrawing::lines; }
  bool arcs() const { return view.drawing == GridDrawing::arcs; }
  bool heatmaps() const { return view.drawing == GridDrawing::heatmaps; }
  bool normWeighted() const { return view.content == GridContent::normWeighted; }
};

/// Returns a token as shown: "cat"; "query 3" or "key 3" (counted from 0) where it has no name.
std::string tokenName(const HeadsState& state, Lane lane, Index token);
/// Returns "‘cat’"; "query 7" or "key 7" where the token has no name.
std::string tokenInQuotes(const HeadsState& state, Index token, Lane lane = Lane::query);

// Tiles.

struct TileTitle {
  std::string name;       // "Head 3"
  std::string shortName;  // "3", for narrow tiles
  std::string figure;     // "max 0.83" or "off"; has precedence over the words
  std::string made;       // "Verb → its subject", or the measured label
  std::string measured;   // of a head with a purpose: what is measured of it here
  bool holds = true;      // whether `made` is true here

  void addFigure(const std::string& text) { figure += (figure.empty() ? "" : " · ") + text; }
};

struct GridTile {
  HeadPicture picture;
  TileTitle title;
  std::string note = {};  // above the words of arcs: what is drawn
};

/// Returns the tiles in the order chosen: every head, then the mean over heads where it is shown.
std::vector<GridTile> gridTiles(const HeadsState& state);

/// Notes above the arcs of each head what they show, in place of what is measured over all words:
/// the link of the chosen query, else of the one that shows the head best, or that the head has
/// nothing to do. `stories`: one per head.
void noteArcs(const HeadsState& state, const std::vector<HeadStory>& stories,
              std::vector<GridTile>& tiles);

/// Returns the tiles side by side below the grid: the compared heads or, for norm-weighted content,
/// each head's plain weights, its norm-weighted matrix and their difference. Without compared
/// heads, norm-weighted content shows the chosen head there.
std::vector<GridTile> sideTiles(const HeadsState& state);
/// Returns the heading of those tiles: "Side by side, and their difference".
std::string sideHeading(const HeadsState& state);

/// Returns the number of ends that lines have on each side of a picture of this height in points,
/// so that `pictures` of them stay readable and quick to draw.
Index lineEnds(float height, Index pictures);

/// The width and height of a tile's picture.
struct PictureSize {
  float width, height;  // in points
  float pixelsPerPoint;
  float scale;  // of the interface
};
/// Returns the pictures that these tiles need, by head, so that another order needs no others.
PictureSpec picturesOf(const HeadsState& state, const std::vector<GridTile>& tiles,
                       const PictureSize& size);

// Colours.

/// The range of a picture's colours: 0 to `high`, or −`high` to `high`.
struct PictureRange {
  float high = 1.0F;
  bool diverging = false;

  bool operator==(const PictureRange&) const = default;
};
/// Returns the common range of all heads: up to the largest possible weight for short inputs, else
/// up to the largest cell drawn. `grid` may be null while nothing is drawn.
PictureRange commonRange(const HeadsState& state, const PictureSet* grid);
/// Returns the range of a picture of `set`, which may be null.
PictureRange rangeOf(const HeadsState& state, const HeadPicture& picture, const PictureSet* set,
                     const PictureSet* grid);
/// Returns the range from 0, or about 0 where weights may be negative, to `high`.
PictureRange rangeTo(const HeadsState& state, float high);

// Sentences.

/// The tokens that a drawn cell covers.
struct CellStep {
  Index queries = 1, keys = 1;

  bool several() const { return queries * keys > 1; }
};

/// Returns "rows: queries · columns: keys · item 1 of 2 · designed, not learned".
std::string gridAbout(const HeadsState& state);
/// Returns the sentences on everything that differs from plain weights of all tokens. A sentence
/// may follow a formula (rich text).
struct GridSentence {
  const char* formula = nullptr;
  std::string text;
};
std::vector<GridSentence> gridSentences(const HeadsState& state, const CellStep& step);

/// Returns the lines below the map of the whole head: the parts shown, and what a cell covers.
std::vector<std::string> mapInWords(const HeadsState& state, const CellStep& step);

/// Returns the words about the cell of a picture: "‘sat’ gives 0.82 of its attention to ‘cat’", the
/// picture's name and the head's label. `set`: the blocks drawn, or null. `indices`: also names the
/// cell by its indices.
std::string cellInWords(const HeadsState& state, const HeadPicture& picture, const CellRef& cell,
                        const PassParts& parts, const PictureSet* set, bool indices);

/// Returns the keys with the largest weights of a query, and the first of them.
std::pair<std::string, Index> rowInWords(const HeadsState& state, const HeadPicture& picture,
                                         Index query, const PassParts& parts);

/// Returns a sentence on the chosen head's largest weight, among rows with at least two positive
/// weights; empty where there is none.
std::string largestWeightInWords(const HeadsState& state);

}  // namespace headscope::ui
