// ALiBi, attention with linear biases (Press, Smith, Lewis 2022, "Train short, test long"): each
// score is reduced by the distance between query and key, times a slope of its head.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>

#include "core/base/index.h"

namespace headscope {

/// The slope m_h = 2^(−8(h+1)/n) for n heads, n a power of two. For other n, the first slopes are
/// those of the next lower power n', and the rest every second one of 2n' heads (section 3 and the
/// authors' code).
float alibiSlope(Index head, Index heads);

/// The penalty of the score of query i and key j: slope · |i − j|. The paper has slope · (i − j),
/// since its mask is causal. `apart` is j − i.
inline float alibiPenalty(float slope, std::int32_t apart) {
  return slope * static_cast<float>(std::abs(apart));
}

/// Subtracts the penalties from a query's scores for the keys firstKey, firstKey + 1, …
void subtractAlibi(std::span<float> scores, float slope, Index query, Index firstKey);

}  // namespace headscope
