// Rows of weights, as metrics are taken over them: which rows count, whether their weights are
// shares of 1, and their sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/metric_value.h"
#include "core/attention/mask.h"
#include "core/document/fwd.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct AttentionConfig;
class Pins;

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

// Row shares: whether the weights of each row are shares of 1: none below 0, with the sum 1. All
// metrics of weights assume this. The softmax of a row provides it; dropout, pinned weights and a
// softmax over queries may break it. With sinks a row's sum is below 1: its metrics are of the part
// that the keys get, so that its confidence may lie below 1 / keys.

/// The reason why the weights of some row are no shares of 1, in words: "a row's weights do not sum
/// to 1 (dropout)"; empty where all rows are.
std::string whyNotDistribution(const Trace& trace, Index item, Index head, const CountedRows& rows);

/// The range of a head's weights.
struct WeightRange {
  float low = 0.0F;
  float high = 1.0F;

  float magnitude() const { return std::max(-low, high); }
  /// The range that holds both.
  WeightRange with(const WeightRange& other) const {
    return {std::min(low, other.low), std::max(high, other.high)};
  }
};
/// The range is 0 to 1 after the softmax, extended to 1/(1 − rate) by dropout and to the values of
/// pins. `head` −1: of all heads.
WeightRange weightRange(const AttentionConfig& config, const Pins& pins, Index item, Index head);

// Entropy sums: −Σ p log2 p over many weights at once, for entropies and divergences of whole
// heads. Single precision within a piece of a row, double from piece to piece.

/// Returns `value`, or `limit` where only rounding put it above.
inline double upTo(double limit, double value) {
  constexpr double kRounding = 1e-6;
  return value > limit && value < limit + kRounding ? limit : value;
}

/// −Σ p log2 p in bits; weights that are not above 0 add nothing.
double entropyOf(const float* p, Index count);

/// The entropy of (a + b) / 2, cell by cell.
double entropyOfMean(const float* a, const float* b, Index count);

/// The sums of one row over all its weights.
struct RowSums {
  double entropy = 0.0;   // −Σ p log2 p
  double distance = 0.0;  // Σ p · distance
  double largest = 0.0;
};
/// `distances` holds |i − j| for each of them.
RowSums rowSums(const float* p, const float* distances, Index count);

/// The sums of one row, or of the mean of two rows (`other`; null: one row). Without `distances`
/// (null), neither the distance nor the largest weight is computed. logSumLoopsHere returns the
/// variants that this processor can run, the fastest first; all give the same bits.
struct LogSums {
  double logs = 0.0;  // Σ p ln p
  double distance = 0.0;
  double largest = 0.0;
};
using LogSumLoops = LogSums (*)(const float* p, const float* other, const float* distances,
                                std::size_t count);
std::vector<LogSumLoops> logSumLoopsHere();

}  // namespace headscope
