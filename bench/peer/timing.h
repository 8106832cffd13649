// Timing: the best of many runs, and of libraries' products.
#pragma once

#include <functional>
#include <vector>

#include "core/base/index.h"

namespace headscope::bench {

/// The shortest of as many runs as fit the time, at least three.
double bestMs(double seconds, const std::function<void()>& run);

/// One shape of product of a pass, and how often it comes.
struct TimedProduct {
  Index rows, depth, cols, count;
};

/// What these take by the fastest library, each by itself, together in ms.
double bestGemmMs(const std::vector<TimedProduct>& products, int threads, double seconds);

}  // namespace headscope::bench
