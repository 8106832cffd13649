// Looks: what the card about where each token looks shows: the weights drawn as lines, a query's
// output as a weighted mean of values, its products with keys as lengths and angles, and the words
// about them.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/view_model/choice.h"
#include "core/analysis/value_plane.h"
#include "core/document/trace.h"

namespace headscope::ui {

// The weights drawn as lines between tokens: in each row the largest that make up a share of it
// (weight_readings.h).

struct Line {
  Index head = 0, query = 0, key = 0;
  float weight = 0.0F;

  bool operator==(const Line&) const = default;
};

struct LineQuestion {
  Index item = 0;
  std::vector<Index> heads;
  TokenRange queries;  // the queries whose rows count; count 0: none
  Index key = -1;      // only lines to this key
  double mass = 0.9;
  Index most = 0;  // the number of lines kept, the strongest
};

struct LineChoice {
  std::vector<Line> lines;  // weakest first, so that the strongest are drawn on top
  Index chosen = 0;         // the number of weights in the mass, kept or not
  Index weights = 0;        // the number of nonzero weights in the question
  Index emptyRows = 0;      // rows with only zeros
};

/// Chooses the lines. Returns no lines where cancelled.
LineChoice chooseLines(const Trace& trace, const LineQuestion& question,
                       const std::atomic<bool>& cancelled);

/// Returns the number of weights that a question reads.
Index workOf(const LineQuestion& question, const AttentionConfig& config);

// A query's output of one head as a weighted mean of values.

struct ValueMix {
  WeightedMean mean;
  std::vector<float> weights;  // by key
  std::vector<Index> largest;  // keys with nonzero weight, largest first; at most kMostParts
  Index others = 0;            // the number of other keys with nonzero weight
  double otherWeight = 0.0;

  static constexpr Index kMostParts = 300;
};

ValueMix valueMix(const Trace& trace, const ValuePlane& plane, const RowRef& row);

// The products of one query with every key as lengths and angles, their orders, and one product as
// two arrows.

/// The sort column of the keys.
enum class KeyColumn { key, length, angle, product };

struct KeyProducts {
  std::vector<QueryKeyProduct> of;  // by key

  /// Returns the keys sorted by a column: by index, lengths and products largest first, angles
  /// smallest first. Keys without an angle come last.
  std::vector<Index> order(KeyColumn by) const;
  /// Returns the rank, from 1, of a key in such an order; equal values share the best rank.
  Index rank(KeyColumn by, Index key) const;
};

KeyProducts keyProducts(const Trace& trace, const RowRef& row);

/// Two arrows from one origin in the plane they span, on one scale. The query points right; y
/// points down.
struct Arrows {
  double originX = 0, originY = 0;
  double queryX = 0, queryY = 0;  // tips of the arrows
  double keyX = 0, keyY = 0;
  double scale = 0;  // picture units per unit of vector length
};
/// Returns the largest arrows that fit a box of this width and height.
Arrows arrowsIn(const QueryKeyProduct& product, double width, double height);

// Columns of tokens.

/// The places of the tokens of one column, one row each. Pure.
struct TokenColumn {
  TokenRange range;    // all tokens of the column
  float first = 0.0F;  // the token at the top; may be fractional
  float pitch = 1.0F;  // height of a token's row
  float top = 0.0F, bottom = 0.0F;

  float y(Index token) const { return top + (static_cast<float>(token) + 0.5F - first) * pitch; }
  Index at(float y) const;
  /// Returns the tokens that are at least partly visible.
  TokenRange visible() const;
  float shown() const { return (bottom - top) / pitch; }  // visible tokens; fractional
};

/// Places a column in the height available, with rows from `least` to `most` high. `scrolled` (0 …
/// 1) applies where the tokens do not all fit.
TokenColumn placeColumn(const TokenRange& range, float top, float bottom, float least, float most,
                        float scrolled);
/// Returns the scroll position (0 … 1) that centres a token.
float scrolledTo(const TokenColumn& column, Index token);

// Sentences.

/// Returns a sentence about the lines: `shown` are drawn, of how many weights, and by which rule.
std::string linesInWords(const LineChoice& choice, const LineQuestion& question, Index shown);

/// Returns "'sat' looks at 'cat' 0.82, 'on' 0.05" for each head, strongest first.
std::string looksInWords(const Document& document, const LineChoice& choice,
                         const LineQuestion& question, const LooksAt& at);

/// Returns "output of 'sat' = 0.82 of 'cat' + 0.05 of 'on' + 0.13 of 4 others", where names stand
/// for their values.
std::string mixInWords(const Document& document, const ValueMix& mix, const RowRef& row);
/// Returns how the head's output differs from a weighted mean: weights that do not sum to 1, gain,
/// pins. Empty where it does not.
std::string afterMixInWords(const Document& document, const ValueMix& mix, const RowRef& row);

/// Return the product as lengths and angle, "‖q‖ 5.21 × ‖k‖ 4.83 × cos 52.3° 0.611 = q·k 15.4", and
/// its score and weight.
std::string productInWords(const QueryKeyProduct& product);
std::string scoreInWords(const Trace& trace, const RowRef& row, Index key,
                         const QueryKeyProduct& product);
/// Returns a sentence on whether the largest product comes from length or from direction.
std::string largestInWords(const Document& document, const KeyProducts& products, Index item);

}  // namespace headscope::ui
