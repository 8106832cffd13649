#include "core/steps/softmax_row.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

// The same loops compiled for the processors there are, so that a program built once runs well on
// each; the best is taken at run time. All give the same bits.
#if defined(__x86_64__) && defined(__GNUC__)
#define HEADSCOPE_EVERY_PROCESSOR 1
#endif

namespace headscope {
namespace {

/// Sixteen cells at once, in as many registers as the processor needs for them.
constexpr std::size_t kLanes = 16;
using Lanes [[gnu::vector_size(64)]] = float;
using Bits [[gnu::vector_size(64)]] = std::uint32_t;
using Bytes [[gnu::vector_size(16)]] = std::uint8_t;

/// Below this from the row's maximum an exponential counts as 0 (e⁻⁸⁰ ≈ 2e-35).
constexpr float kUnderflow = -80.0F;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// eˣ for x in [kUnderflow, 0], to 1 unit in the last place: x = n ln 2 + r with |r| ≤ ln 2 / 2, eʳ
/// by its Taylor polynomial, and n added to the exponent.
[[gnu::always_inline]] inline void expOfNegative(Lanes& x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;  // few digits: n times it is exact
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 · 2²³: adding it rounds, the low bits hold n
  const Lanes shifted = x * kLog2E + kRounder;
  const Lanes n = shifted - kRounder;
  const Lanes r = (x - n * kLn2High) - n * kLn2Low;
  // in pairs rather than one after the other: each waits for fewer
  const Lanes r2 = r * r;
  const Lanes low = r * (1.0F / 6.0F) + 0.5F;
  const Lanes middle = r * (1.0F / 120.0F) + 1.0F / 24.0F;
  const Lanes high = r * (1.0F / 5040.0F) + 1.0F / 720.0F;
  const Lanes p = (((high * r2 + middle) * r2 + low) * r2 + r) + 1.0F;
  x = (Lanes)((Bits)p + ((Bits)shifted << 23U));
}

/// Joined in pairs (`join` puts the second into the first), halving, the same way on every
/// processor.
template <typename Join>
[[gnu::always_inline]] inline float folded(const Lanes& lanes, Join join) {
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

/// Up to kLanes scores; in the place of those past the end or without a part stands −∞.
[[gnu::always_inline]] inline void load(Lanes& scores, const float* cells, std::size_t count,
                                        const std::uint8_t* takesPart) {
  if (count == kLanes) {
    std::memcpy(&scores, cells, sizeof(scores));
  } else {
    scores = Lanes{} - kInfinity;
    std::memcpy(&scores, cells, count * sizeof(float));
  }
  if (takesPart == nullptr) return;
  Bytes bytes{};
  std::memcpy(&bytes, takesPart, count);
  const Bits wide = __builtin_convertvector(bytes, Bits);
  scores = wide != 0U ? scores : Lanes{} - kInfinity;
}

/// Scores of one row to weights over all `count` of them that take part (null: all do); at least
/// one does.
[[gnu::always_inline]] inline void softmaxLoops(float* row, std::size_t count,
                                                const std::uint8_t* takesPart) {
  const std::size_t whole = count / kLanes * kLanes;
  const std::size_t rest = count - whole;
  Lanes scores;
  Lanes last = Lanes{} - kInfinity;  // what is left of the row stays at hand
  if (rest > 0) {
    load(last, row + whole, rest, takesPart == nullptr ? nullptr : takesPart + whole);
  }
  Lanes maxima = last;
  for (std::size_t j = 0; j < whole; j += kLanes) {
    load(scores, row + j, kLanes, takesPart == nullptr ? nullptr : takesPart + j);
    maxima = scores > maxima ? scores : maxima;
    if (takesPart != nullptr) std::memcpy(row + j, &scores, sizeof(scores));
  }
  const float maximum = folded(maxima, [](auto& a, const auto& b) { a = a > b ? a : b; });

  const auto toExp = [maximum](Lanes & cells) __attribute__((always_inline)) {
    const Lanes below = cells - maximum;
    cells = below < kUnderflow ? Lanes{} + kUnderflow : below;
    expOfNegative(cells);
    cells = below < kUnderflow ? Lanes{} : cells;
  };
  toExp(last);
  Lanes sums = last;
  for (std::size_t j = 0; j < whole; j += kLanes) {
    load(scores, row + j, kLanes, nullptr);
    toExp(scores);
    sums += scores;
    std::memcpy(row + j, &scores, sizeof(scores));
  }
  const float share = 1.0F / folded(sums, [](auto& a, const auto& b) { a += b; });
  for (std::size_t j = 0; j < whole; j += kLanes) {
    load(scores, row + j, kLanes, nullptr);
    scores *= share;
    std::memcpy(row + j, &scores, sizeof(scores));
  }
  last *= share;
  if (rest > 0) std::memcpy(row + whole, &last, rest * sizeof(float));
}

void softmaxAnywhere(float* row, std::size_t count, const std::uint8_t* takesPart) {
  softmaxLoops(row, count, takesPart);
}

#ifdef HEADSCOPE_EVERY_PROCESSOR
__attribute__((target("avx2"))) void softmaxAvx2(float* row, std::size_t count,
                                                 const std::uint8_t* takesPart) {
  softmaxLoops(row, count, takesPart);
}

__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,prefer-vector-width=512"))) void
softmaxAvx512(float* row, std::size_t count, const std::uint8_t* takesPart) {
  softmaxLoops(row, count, takesPart);
}
#endif

}  // namespace

std::vector<SoftmaxLoops> softmaxLoopsHere() {
  std::vector<SoftmaxLoops> loops;
#ifdef HEADSCOPE_EVERY_PROCESSOR
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    loops.push_back(softmaxAvx512);
  }
  if (__builtin_cpu_supports("avx2")) loops.push_back(softmaxAvx2);
#endif
  loops.push_back(softmaxAnywhere);
  return loops;
}

void softmaxRow(std::span<float> row, const AllowedKeys& allowed) {
  if (!allowed.any()) {
    std::fill(row.begin(), row.end(), 0.0F);
    return;
  }
  static const SoftmaxLoops loops = softmaxLoopsHere().front();
  std::fill(row.begin(), row.begin() + allowed.begin, 0.0F);
  std::fill(row.begin() + allowed.end, row.end(), 0.0F);
  loops(row.data() + allowed.begin, static_cast<std::size_t>(allowed.end - allowed.begin),
        allowed.painted == nullptr ? nullptr : allowed.painted + allowed.begin);
}

AllowedKeys softmaxKeys(const AttentionConfig& config, Index item, Index query) {
  if (config.mask.none() || config.mistakes.zeroForMasked) return {0, config.keys(), nullptr};
  return allowedKeys(config.mask, item, query, config.keys());
}

void scoresForSoftmax(std::span<const float> raw, std::span<float> row,
                      const AttentionConfig& config, const Pins& pins, const RowPart& part) {
  scaleScores(raw, row, config, pins, part);
  if (config.mistakes.zeroForMasked) {
    maskScores(row, config, part);
  } else {
    penaliseScores(row, config, part);  // softmaxRow leaves out what is not allowed
  }
}

}  // namespace headscope
