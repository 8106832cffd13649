// Lanes: sixteen numbers at once, in as many registers as the processor needs for them. A loop over
// them is compiled for every kind of processor, so that a program built once runs well on each; the
// best is taken at run time. All give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define HEADSCOPE_EVERY_PROCESSOR 1
#define HEADSCOPE_AVX2 __attribute__((target("avx2")))
#define HEADSCOPE_AVX512 \
  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,prefer-vector-width=512")))
#else  // one kind
#define HEADSCOPE_AVX2
#define HEADSCOPE_AVX512
#endif

namespace headscope {

inline constexpr std::size_t kLanes = 16;
using Lanes [[gnu::vector_size(64)]] = float;
using LaneBits [[gnu::vector_size(64)]] = std::uint32_t;
using LaneIntegers [[gnu::vector_size(64)]] = std::int32_t;

/// Joined in pairs (`join` puts the second into the first), halving, the same way on every
/// processor.
template <typename Join>
[[gnu::always_inline]] inline float horizontalReduce(const Lanes& lanes, Join join) {
  using Half [[gnu::vector_size(32)]] = float;
  using Quarter [[gnu::vector_size(16)]] = float;
  Half halves[2];
  std::memcpy(halves, &lanes, sizeof(halves));
  join(halves[0], halves[1]);
  Quarter quarters[2];
  std::memcpy(quarters, &halves[0], sizeof(quarters));
  join(quarters[0], quarters[1]);
  float cells[4];
  std::memcpy(cells, &quarters[0], sizeof(cells));
  join(cells[0], cells[2]);
  join(cells[1], cells[3]);
  join(cells[0], cells[1]);
  return cells[0];
}

[[gnu::always_inline]] inline float sumOf(const Lanes& lanes) {
  return horizontalReduce(lanes, [](auto& a, const auto& b) { a += b; });
}
[[gnu::always_inline]] inline float horizontalMax(const Lanes& lanes) {
  return horizontalReduce(lanes, [](auto& a, const auto& b) { a = a > b ? a : b; });
}

/// Up to kLanes numbers; 0 past the end.
[[gnu::always_inline]] inline void loadLanes(Lanes& lanes, const float* from, std::size_t count) {
  if (count == kLanes) {
    std::memcpy(&lanes, from, sizeof(lanes));
  } else {
    lanes = Lanes{};
    std::memcpy(&lanes, from, count * sizeof(float));
  }
}

/// The variants of one loop, each compiled for a kind of processor, that run on this one, the
/// fastest first.
template <typename Loop>
std::vector<Loop> supportedVariants([[maybe_unused]] Loop avx512, [[maybe_unused]] Loop avx2,
                                    Loop anywhere) {
  std::vector<Loop> loops;
#ifdef HEADSCOPE_EVERY_PROCESSOR
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    loops.push_back(avx512);
  }
  if (__builtin_cpu_supports("avx2")) loops.push_back(avx2);
#endif
  loops.push_back(anywhere);
  return loops;
}

}  // namespace headscope
