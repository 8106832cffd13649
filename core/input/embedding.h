// Embedding: what text and series have in common on their way to X: where they are in the sequence,
// which token or row each place takes, and how items of unequal length share one tensor.
//
// Columns are laid out as named blocks from the left, the rest to the right.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/input/input.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// Columns of one kind, as many as fit.
struct CoordinateBlock {
  std::string one, many;            // in notes: "position pair", "position pairs"
  std::vector<std::string> names;   // of the columns
  std::vector<std::string> labels;  // of its parts, in notes; as many as there are parts
  Index width() const { return static_cast<Index>(names.size()); }
  Index partWidth() const { return width() / static_cast<Index>(labels.size()); }
};

/// A block of columns as it came to lie in X.
struct ColumnRange {
  Index begin = 0;
  Index count = 0;
};

struct Layout {
  std::vector<ColumnRange> blocks;  // one per block asked for, perhaps shortened to nothing
  ColumnRange rest;
  std::vector<std::string> names;  // of all columns
  std::string note;                // what was left out; empty: nothing
};

/// Lays `blocks` side by side in `width` columns, and the rest after them. Where they do not all
/// fit, parts are dropped from the right, so that the rest keeps at least max(1, width / 4).
Layout layOut(Index width, const std::vector<CoordinateBlock>& blocks, const std::string& restName);

/// One coordinate that is 1 everywhere; and those of the position that change slowly.
CoordinateBlock constantBlock();
CoordinateBlock slowPositionBlock();
/// 28 pairs "cos ω1 i", "sin ω1 i", …: ω_k linear from 2π/80 to π.
CoordinateBlock positionPairsBlock();
/// ω of a pair, from 0 on.
double positionFrequency(Index pair);

/// How the columns of X are laid out at a width, whatever the sentence or the values.
Layout textLayout(Index width);
Layout seriesLayout(const std::vector<std::string>& channels, Index width);

/// −log(1+i); nothing where the block was left out, or where positions are not named.
void fillSlowPosition(std::span<float> row, ColumnRange range, Index position, Positions positions);
void fillPositionPairs(std::span<float> row, ColumnRange range, Index position,
                       Positions positions);
/// Adds Vaswani's to the first `count` rows, row i being position i: sin(i / 10000^(c/D)) at even
/// columns c, the cosine of the same angle at the odd one after each.
void addSinusoids(MatrixView x, Index count);

/// How items of `lengths` tokens or rows fill `places` each: cut, or repeated from the start when
/// there are more places than the longest has; shorter items than that are padded up to it.
class Filling {
 public:
  Filling(std::vector<Index> lengths, Index places);

  /// The token or row that stands at a place of an item.
  Index at(std::size_t item, Index place) const { return place % lengths_[item]; }
  /// Places of an item that are not padding: the first ones.
  Index valid(std::size_t item) const {
    return repeats_ ? places_ : std::min(lengths_[item], places_);
  }
  /// That of every item; empty where none has padding.
  std::vector<Index> validLengths() const;

 private:
  std::vector<Index> lengths_;
  Index places_;
  bool repeats_;
};

/// X of one side and what goes with it.
struct Embedded {
  Tensor x;                                      // (items, places, width)
  std::vector<std::vector<std::string>> tokens;  // "" is padding
  std::vector<Index> lengths;                    // empty: no padding
  Layout layout;
};

/// What a token's identity is made from: its spelling, or what it means (meanings.h), which words
/// of two languages can share.
enum class Identity { word, meaning };

/// Sentences, one per item, each given as its tokens.
Embedded embedText(const std::vector<std::vector<std::string>>& sentences, Index places,
                   Index width, Positions positions, Identity identity = Identity::word);

/// Series, one per item, all of the same channels.
Embedded embedSeries(const std::vector<std::shared_ptr<const Series>>& items, Index places,
                     Index width, Positions positions);

/// What they read at those places.
Readings readingsOf(const std::vector<std::shared_ptr<const Series>>& items, Index places);

}  // namespace headscope
