// Rows of weights, as metrics are taken over them: which rows count, whether their weights are
// shares of 1, and their sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// A row of one batch item that counts: its query has a key to attend to, and is no padding.
struct CountedRow {
  Index row = 0;
  AllowedKeys keys;  // those that take part in its softmax
  Index keyCount = 0;
  // the part of the row outside of which every weight is 0
  Index begin = 0;
  Index end = 0;
};

struct CountedRows {
  std::vector<CountedRow> rows;  // in order
  Index tokens = 0;              // queries that are not padding
  bool anyKeys = false;          // some query, padding or not, has a key to attend to

  bool empty() const { return rows.empty(); }
  /// Why it is empty, in words.
  std::string whyEmpty() const;
};

/// Valid as long as the document is. Padding: queries past the item's length; in cross-attention,
/// where lengths are the memory's, those without a token.
CountedRows countedRows(const Document& document, Index item);

// Row shares: whether a head's weights are shares of 1 row by row, none below 0, as all that is
// measured of them takes for granted. The softmax of a row gives such; dropout, pinned weights and
// a softmax over queries need not leave them.

/// Why they are not in one of the rows, in words: "a row's weights do not sum to 1 (dropout)";
/// empty where they are in all.
std::string whyNotDistribution(const Trace& trace, Index item, Index head, const CountedRows& rows);

/// Within which a head's weights lie.
struct WeightRange {
  float low = 0.0F;
  float high = 1.0F;

  float magnitude() const { return std::max(-low, high); }
  /// The range that holds both.
  WeightRange with(const WeightRange& other) const {
    return {std::min(low, other.low), std::max(high, other.high)};
  }
};
/// 0 to 1, as the softmax gives them; to 1/(1 − rate) with dropout, and as far as pins go. `head`
/// −1: of all heads.
WeightRange weightRange(const AttentionConfig& config, const Pins& pins, Index item, Index head);

// Entropy sums: −Σ p log2 p over many weights at once, for entropies and divergences of whole
// heads. Single precision within a piece of a row, double from piece to piece.

/// `value`, or `limit` where rounding alone took it above.
inline double upTo(double limit, double value) {
  constexpr double kRounding = 1e-6;
  return value > limit && value < limit + kRounding ? limit : value;
}

/// −Σ p log2 p in bits; weights that are not above 0 add nothing.
double entropyOf(const float* p, Index count);

/// The entropy of (a + b) / 2, cell by cell.
double entropyOfMean(const float* a, const float* b, Index count);

/// All of one row that needs every weight.
struct RowSums {
  double entropy = 0.0;   // −Σ p log2 p
  double distance = 0.0;  // Σ p · distance
  double largest = 0.0;
};
/// `distances` holds |i − j| for each of them.
RowSums rowSums(const float* p, const float* distances, Index count);

/// The loop of all three over a row, or over the mean of two (`other`, null: one), and over its
/// `distances` (null: neither their sum nor the largest). As compiled for what this processor can
/// do, the best first: all give the same bits.
struct LogSums {
  double logs = 0.0;  // Σ p ln p
  double distance = 0.0;
  double largest = 0.0;
};
using LogSumLoops = LogSums (*)(const float* p, const float* other, const float* distances,
                                std::size_t count);
std::vector<LogSumLoops> logSumLoopsHere();

}  // namespace headscope
