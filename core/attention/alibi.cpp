#include "core/attention/alibi.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace headscope {

float alibiSlope(Index head, Index heads) {
  auto power = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  if (head >= power) {
    head = 2 * (head - power);
    power *= 2;
  }
  return static_cast<float>(
      std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(power)));
}

void subtractAlibi(std::span<float> scores, float slope, Index query, Index firstKey) {
  const auto first = static_cast<std::int32_t>(firstKey - query);
  const auto count = static_cast<std::int32_t>(scores.size());
  float* score = scores.data();
  for (std::int32_t j = 0; j < count; ++j) score[j] -= alibiPenalty(slope, first + j);
}

}  // namespace headscope
