// Looks: the tabs of the card that shows where each token looks, what they compute, and what they
// say of it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_choice.h"
#include "core/analysis/value_plane.h"
#include "core/document/trace.h"

namespace headscope::ui {

/// A line per weight from each query to the keys it looks at, thickness by weight.
std::unique_ptr<Card> makeLinesTab();
/// A head's value vectors in the plane of their two main components, and a query's output among
/// them as their weighted mean.
std::unique_ptr<Card> makeValuesTab();
/// q·k of a query and a key as two arrows with their lengths and angle, and the same of every key,
/// to see whether a large score comes from length or from direction.
std::unique_ptr<Card> makeLengthsTab();

/// What is said beside a picture: its share of the card's width, within limits in points.
struct WordsWidth {
  float share, least, most;
};

/// A tab about one query of the chosen head: the queries at the left, one of them chosen, a picture
/// of it in the middle, and what is said of it at the right.
class OneQueryTab : public Card {
 public:
  OneQueryTab(const CardText& text, const WordsWidth& words) : Card(text), words_(words) {}
  void draw(const PanelContext& panel) final;

 private:
  virtual void drawRow(const PanelContext& panel, const RowRef& row, const Rect& picture,
                       const Rect& words) = 0;
  /// Gives the one clicked.
  std::optional<Index> queryList(const PanelContext& panel, Index chosen, Rect room);

  WordsWidth words_;
  Index shown_ = -1;  // brought into view last
};

// Which weights are drawn as lines between tokens: of each row the largest that make up a share of
// it (weight_readings.h). Pure, as is all that follows but what draws columns of tokens.

struct Line {
  Index head = 0, query = 0, key = 0;
  float weight = 0.0F;

  bool operator==(const Line&) const = default;
};

struct LineQuestion {
  Index item = 0;
  std::vector<Index> heads;
  TokenRange queries;  // the rows looked at; count 0: none
  Index key = -1;      // only lines to this key
  double mass = 0.9;
  Index most = 0;  // lines that are kept: the strongest
};

struct LineChoice {
  std::vector<Line> lines;  // weakest first, so that the strongest are drawn on top
  Index chosen = 0;         // that make up the mass, kept or not
  Index weights = 0;        // other than 0, in the rows (and of the key) looked at
  Index emptyRows = 0;      // without any weight
};

/// Nothing (no lines) where cancelled.
LineChoice chooseLines(const Trace& trace, const LineQuestion& question,
                       const std::atomic<bool>& cancelled);

/// How many weights a question looks at.
Index workOf(const LineQuestion& question, const AttentionConfig& config);

// A query's output of one head as a weighted mean.

struct ValueMix {
  WeightedMean mean;
  std::vector<float> weights;  // by key
  std::vector<Index> largest;  // keys of a weight other than 0, largest first; at most kMostParts
  Index others = 0;            // keys of such a weight that are not among them
  double otherWeight = 0.0;

  static constexpr Index kMostParts = 300;
};

ValueMix valueMix(const Trace& trace, const ValuePlane& plane, const RowRef& row);

// One query's q·k with every key as lengths and angles, in an order, and two of them as arrows.

/// What keys are sorted by.
enum class KeyColumn { key, length, angle, product };

struct KeyProducts {
  std::vector<QueryKeyProduct> of;  // by key

  /// Keys in the order of a column: lengths and products largest first, angles smallest first,
  /// those without an angle last.
  std::vector<Index> order(KeyColumn by) const;
  /// The place, from 1, of a key in such an order; equals share the first of their places.
  Index rank(KeyColumn by, Index key) const;
};

KeyProducts keyProducts(const Trace& trace, const RowRef& row);

/// Two arrows from one origin in the plane they span, y down, to one scale: q to the right.
struct Arrows {
  double originX = 0, originY = 0;
  double queryX = 0, queryY = 0;  // their tips
  double keyX = 0, keyY = 0;
  double scale = 0;  // units of the picture per unit of length
};
/// As large as a box of this width and height holds them.
Arrows arrowsIn(const QueryKeyProduct& product, double width, double height);

// Two columns of tokens, queries on the left and keys on the right, to choose from, and weights as
// ribbons between them; long ones thin out and scroll.

/// Where the tokens of one column stand: token i at the middle of its row. Pure.
struct TokenColumn {
  TokenRange range;    // tokens that can be scrolled to
  float first = 0.0F;  // the token at the top
  float pitch = 1.0F;  // height of a token
  float top = 0.0F, bottom = 0.0F;

  float y(Index token) const { return top + (static_cast<float>(token) + 0.5F - first) * pitch; }
  Index at(float y) const;
  /// The tokens of which something is seen.
  TokenRange visible() const;
  float shown() const { return (bottom - top) / pitch; }  // tokens, also a part of one
};

/// As high as fits; `scrolled` 0 … 1 where not all do, which `least` (a token's height) decides.
TokenColumn placeColumn(const TokenRange& range, float top, float bottom, float least, float most,
                        float scrolled);
/// How far to scroll so that a token stands in the middle.
float scrolledTo(const TokenColumn& column, Index token);

struct TokenColumns {
  TokenColumn queries, keys;
  float left = 0.0F, right = 0.0F;  // between them the lines run
  LooksAt at;                       // a token under the mouse, else what was given
  std::optional<LooksAt> chosen;    // by a click; −1 of both: no longer

  bool scrolls() const;
};

/// Draws both, with the tokens looked at lit; `scrolled` 0 … 1.
TokenColumns tokenColumns(const PanelContext& panel, const Rect& room, float scrolled,
                          const LooksAt& at);

/// Gives how many were drawn: those of tokens that are out of sight at both ends are not.
Index drawLines(const PanelContext& panel, const TokenColumns& columns, const LineChoice& choice);
/// At the other end of the lines of the token looked at, their weights; where none is, nothing.
void drawWeights(const PanelContext& panel, const TokenColumns& columns, const LineChoice& choice);

// In sentences.

/// How many lines are drawn of how many weights, and why; `shown` are drawn.
std::string linesInWords(const LineChoice& choice, const LineQuestion& question, Index shown);

/// "'sat' looks at 'cat' 0.82, 'on' 0.05", head by head: strongest first, as many as there are.
std::string looksInWords(const Document& document, const LineChoice& choice,
                         const LineQuestion& question, const LooksAt& at);

/// "output of 'sat' = 0.82 of 'cat' + 0.05 of 'on' + 0.13 of 4 others", of their values.
std::string mixInWords(const Document& document, const ValueMix& mix, const RowRef& row);
/// What the head's output has beside the weighted mean: gain, pins; empty where nothing.
std::string afterMixInWords(const Document& document, const ValueMix& mix, const RowRef& row);

/// "‖q‖ 5.21 × ‖k‖ 4.83 × cos 52° 0.611 = 15.4", then what becomes of it.
std::string productInWords(const QueryKeyProduct& product);
std::string scoreInWords(const Trace& trace, const RowRef& row, Index key,
                         const QueryKeyProduct& product);
/// Whether the largest product comes from length or from direction.
std::string largestInWords(const Document& document, const KeyProducts& products, Index item);

}  // namespace headscope::ui
