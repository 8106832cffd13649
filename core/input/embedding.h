// Embedding: the steps that text and series share on their way to X: position columns, the token or
// row at each place, and the padding of items of unequal length.
//
// Columns are laid out as named blocks from the left, the rest to the right.
#pragma once

#include <algorithm>
#include <compare>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/input/input.h"
#include "core/input/tagger.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// Columns of one kind. A narrow X takes only its first parts.
struct CoordinateBlock {
  std::string one, many;            // in notes: "position pair", "position pairs"
  std::vector<std::string> names;   // of the columns
  std::vector<std::string> labels;  // one per part, in notes
  Index width() const { return static_cast<Index>(names.size()); }
  Index partWidth() const {
    return labels.empty() ? 1 : width() / static_cast<Index>(labels.size());
  }
};

/// The columns of X that a block takes.
struct ColumnRange {
  Index begin = 0;
  Index count = 0;
};

struct Layout {
  std::vector<ColumnRange> blocks;  // one per block; may be shortened, even to nothing
  ColumnRange rest;
  std::vector<std::string> names;  // of all columns
  std::string note;                // names the blocks left out; empty: none
};

/// Lays `blocks` side by side in `width` columns, and the rest after them. Where they do not all
/// fit, parts are dropped from the right, so that the rest keeps at least max(1, width / 4).
Layout layOut(Index width, const std::vector<CoordinateBlock>& blocks, const std::string& restName);

/// The coordinate that is 1 everywhere, and the coordinates of the position that change slowly.
CoordinateBlock constantBlock();
CoordinateBlock slowPositionBlock();
/// 28 pairs "cos ω1 i", "sin ω1 i", …: ω_k linear from 2π/80 to π.
CoordinateBlock positionPairsBlock();
/// The pairs of a patch of an image, whose place is a row and a column: "cos ω1 row", "sin ω1 row",
/// "cos ω1 column", "sin ω1 column", …, with the same frequencies.
CoordinateBlock patchPairsBlock();
/// The angular frequency ω of a pair, counted from 0.
double positionFrequency(Index pair);

/// The blocks of X's columns in their order, as indices of Layout::blocks.
struct TextBlock {
  enum : std::size_t { constant, slowPosition, wordClass, positionPairs, wordPart };
};
struct SeriesBlock {
  enum : std::size_t { constant, slowPosition, positionPairs, channels, differences, means, flags };
};

/// The layout of the columns of X at a width. It does not depend on the sentence or the values. The
/// channels of an image have no differences, means and flags; a flag for tokens that are no patches
/// stands in place of the slow position, and rows and columns are pairs.
Layout textLayout(Index width);
Layout seriesLayout(const std::vector<std::string>& channels, Index width);

/// Writes −log(1+i). Writes nothing where the block was left out or where positions are not named.
void fillSlowPosition(std::span<float> row, ColumnRange range, Index position, Positions positions);
void fillPositionPairs(std::span<float> row, ColumnRange range, Index position,
                       Positions positions);
/// Adds the sinusoids of Vaswani et al. 2017 to the first `count` rows, row i being position i:
/// sin(i / 10000^(c/D)) at even columns c, the cosine of the same angle at the odd column after
/// each.
void addSinusoids(MatrixView x, Index count);

/// Fits items of `lengths` tokens or rows to `places` places each. Items are cut, or repeated from
/// the start when there are more places than the longest item has; shorter items are padded up to
/// the longest.
class Filling {
 public:
  Filling(std::vector<Index> lengths, Index places);

  /// The index of the token or row at a place of an item.
  Index at(std::size_t item, Index place) const { return place % lengths_[item]; }
  /// The number of places of an item that are not padding. They come first.
  Index valid(std::size_t item) const {
    return repeats_ ? places_ : std::min(lengths_[item], places_);
  }
  /// `valid` of every item; empty where no item has padding.
  std::vector<Index> validLengths() const;

 private:
  std::vector<Index> lengths_;
  Index places_;
  bool repeats_;
};

/// The X of the queries' or the keys' side, with its tokens, lengths and layout.
struct Embedded {
  Tensor x;                                      // (items, places, width)
  std::vector<std::vector<std::string>> tokens;  // "" is padding
  std::vector<Index> lengths;                    // empty: no padding
  Layout layout;
};

/// The source of a token's identity columns: its spelling, or its meaning (meanings.h), which words
/// of two languages can share.
enum class Identity { word, meaning };

/// Embeds sentences, one per item, each as its tokens. The classes and parts of words are those of
/// tagger.h; without positions, X depends on no order: words have no part and their usual class.
Embedded embedText(const std::vector<std::vector<std::string>>& sentences, Index places,
                   Index width, Positions positions, Identity identity = Identity::word);
/// Likewise, with named positions, for sentences whose words have known uses, one list per item.
Embedded embedText(const std::vector<std::vector<std::string>>& sentences,
                   const std::vector<std::vector<WordUse>>& uses, Index places, Index width);

/// A word and its class in its sentence.
struct ClassedWord {
  std::string word;
  WordClass wordClass = WordClass::other;

  auto operator<=>(const ClassedWord&) const = default;
};

/// The two parts whose sum is a row of X with named positions: the contribution of each word,
/// (words, width), and of each place, (places, width).
Tensor embedWords(std::span<const ClassedWord> words, Index width);
Tensor embedPositions(Index places, Index width);

/// Embeds series, one per item, all of the same channels.
Embedded embedSeries(const std::vector<std::shared_ptr<const Series>>& items, Index places,
                     Index width, Positions positions);

/// Returns the readings of the series at those places, unstandardised.
Readings readingsOf(const std::vector<std::shared_ptr<const Series>>& items, Index places);

}  // namespace headscope
