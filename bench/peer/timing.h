// Timing: the best of many runs, and of libraries' products.
#pragma once

#include <functional>
#include <vector>

#include "core/base/index.h"

namespace headscope::bench {

/// The shortest of all runs that fit the time, at least three.
double bestMs(double seconds, const std::function<void()>& run);

/// One shape of product in a pass, and the number of such products.
struct TimedProduct {
  Index rows, depth, cols, count;
};

/// The total time of these products in ms, each timed by itself with the fastest library.
double bestGemmMs(const std::vector<TimedProduct>& products, int threads, double seconds);

}  // namespace headscope::bench
