// ALiBi, attention with linear biases (Press, Smith, Lewis 2022, "Train short, test long"): the
// farther a key stands from a query, the more is taken off their score, by a slope of each head.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>

#include "core/base/index.h"

namespace headscope {

/// m_h = 2^(−8(h+1)/n) of n heads that are a power of two; of others those of the power n' below,
/// then every second one of 2n' heads (section 3 and the authors' code).
float alibiSlope(Index head, Index heads);

/// What the score of a query i and a key j loses: slope · |i − j|, where the paper, whose mask is
/// causal, has slope · (i − j). `apart` is j − i.
inline float alibiPenalty(float slope, std::int32_t apart) {
  return slope * static_cast<float>(std::abs(apart));
}

/// Takes the penalties off a query's scores of the keys firstKey, firstKey + 1, …
void subtractAlibi(std::span<float> scores, float slope, Index query, Index firstKey);

}  // namespace headscope
