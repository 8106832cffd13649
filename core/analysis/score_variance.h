// Score variance: why scores are divided by √d_k. Where the components of q and k are independent
// with mean 0 and variance 1, q·k has the variance d_k (Vaswani et al. 2017, footnote 4).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/trace.h"

namespace headscope {

/// The variance of q·k over drawn pairs of d_k components each; its expected value is d_k.
struct DrawnVariance {
  Index dK = 0;
  double variance = 0.0;
};

/// For d_k = 1, 2, 4 … 512, each over `pairs` pairs.
std::vector<DrawnVariance> drawnVariances(std::uint64_t seed, Index pairs = 256);

/// Of one head's scores over all pairs of a query and a key, masked ones included; of no meaning
/// where it was cancelled.
struct HeadVariance {
  double raw = 0.0;     // of raw_scores
  double scores = 0.0;  // of scores: scaled, and divided by the temperature
};
/// Population variances, in double. Asks `cancelled` between rows.
HeadVariance headVariance(const Trace& trace, Index item, Index head,
                          const std::atomic<bool>* cancelled = nullptr);

}  // namespace headscope
