// Sharpness: one query's softmax over its M keys, also at temperatures and scales that are not the
// document's, how spread out it is, and why scores are divided by √d_k.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/places.h"
#include "core/base/index.h"
#include "core/document/fwd.h"

namespace headscope {

struct AttentionConfig;

/// The factors of the scores: 1/√d_k where `scale` is set, and 1/temperature.
struct Sharpness {
  bool scale = true;
  double temperature = 1.0;
};
/// The sharpness of a configuration.
Sharpness sharpnessOf(const AttentionConfig& config);

/// Computes the softmax of a trace's row at a sharpness, with the trace's raw scores, mask and
/// pinned scores and the step's own arithmetic. Dropout and pinned weights, which follow the
/// softmax, are left out.
std::vector<float> rowWeights(const Trace& trace, const RowRef& row, const Sharpness& sharpness);

/// The keys that take part in the row's softmax.
Index keysTakingPart(const AttentionConfig& config, const RowRef& row);

/// The spread of a row of weights; all fields are 0 where all weights are 0.
struct Spread {
  double entropy = 0.0;        // bits: −Σ p log2 p
  double effectiveKeys = 0.0;  // 2^entropy
  double largest = 0.0;
  Index largestKey = 0;
};
/// Computes the spread of weights. They must not be negative and need not sum to 1.
Spread spreadOf(std::span<const float> weights);

/// `count` temperatures from `low` to `high`, evenly spaced in their logarithm.
std::vector<double> temperatures(double low, double high, int count);

/// A row's entropy at each of these temperatures, with or without 1/√d_k.
std::vector<double> entropyCurve(const Trace& trace, const RowRef& row, bool scale,
                                 std::span<const double> temperatures);

// Score variance: why scores are divided by √d_k. Where the components of q and k are independent
// with mean 0 and variance 1, q·k has the variance d_k (Vaswani et al. 2017, footnote 4).

/// The variance of q·k over drawn pairs of d_k components each; its expected value is d_k.
struct DrawnVariance {
  Index dK = 0;
  double variance = 0.0;
};

/// The variances for d_k = 1, 2, 4 … 512, each over `pairs` pairs.
std::vector<DrawnVariance> drawnVariances(std::uint64_t seed, Index pairs = 256);

/// The variances of one head's scores over all pairs of a query and a key, masked pairs included.
/// Undefined where cancelled.
struct HeadVariance {
  double raw = 0.0;     // of raw_scores
  double scores = 0.0;  // of scores: scaled, and divided by the temperature
};
/// Computes population variances in double. Checks `cancelled` between rows.
HeadVariance headVariance(const Trace& trace, Index item, Index head,
                          const std::atomic<bool>* cancelled = nullptr);

}  // namespace headscope
