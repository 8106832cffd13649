#include "core/steps/softmax_row.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/finite.h"
#include "core/lanes.h"

namespace headscope {
namespace {

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
  x = (Lanes)((LaneBits)p + ((LaneBits)shifted << 23U));
}

/// Up to kLanes scores, scaled; in the place of those past the end or without a part stands −∞.
/// `zeros` adds 0 times each that is there: no longer 0 once one is not finite.
[[gnu::always_inline]] inline void loadScaled(Lanes& scores, const float* cells, float factor,
                                              std::size_t count, const std::uint8_t* takesPart,
                                              Lanes& zeros) {
  loadLanes(scores, cells, count);
  scores *= factor;
  zeros += scores * 0.0F;
  if (count < kLanes) {
    const Lanes forbidden = Lanes{} - kInfinity;
    Lanes whole = forbidden;
    std::memcpy(&whole, &scores, count * sizeof(float));
    scores = whole;
  }
  if (takesPart == nullptr) return;
  Bytes bytes{};
  std::memcpy(&bytes, takesPart, count);
  const LaneBits wide = __builtin_convertvector(bytes, LaneBits);
  scores = wide != 0U ? scores : Lanes{} - kInfinity;
}

/// As SoftmaxLoops.
[[gnu::always_inline]] inline bool softmaxLoops(const float* from, float factor, float* row,
                                                std::size_t count, const std::uint8_t* takesPart) {
  const std::size_t whole = count / kLanes * kLanes;
  const std::size_t rest = count - whole;
  const auto parts = [takesPart](std::size_t j) {
    return takesPart == nullptr ? nullptr : takesPart + j;
  };
  Lanes scores;
  Lanes zeros{};
  Lanes last = Lanes{} - kInfinity;  // what is left of the row stays at hand
  if (rest > 0) loadScaled(last, from + whole, factor, rest, parts(whole), zeros);
  Lanes maxima = last;
  for (std::size_t j = 0; j < whole; j += kLanes) {
    loadScaled(scores, from + j, factor, kLanes, parts(j), zeros);
    maxima = scores > maxima ? scores : maxima;
  }
  const float maximum = largestOf(maxima);

  const auto toExp = [maximum](Lanes & cells) __attribute__((always_inline)) {
    const Lanes below = cells - maximum;
    cells = below < kUnderflow ? Lanes{} + kUnderflow : below;
    expOfNegative(cells);
    cells = below < kUnderflow ? Lanes{} : cells;
  };
  toExp(last);
  Lanes sums = last;
  Lanes seen{};  // told already
  for (std::size_t j = 0; j < whole; j += kLanes) {
    loadScaled(scores, from + j, factor, kLanes, parts(j), seen);
    toExp(scores);
    sums += scores;
    std::memcpy(row + j, &scores, sizeof(scores));
  }
  const float share = 1.0F / sumOf(sums);
  for (std::size_t j = 0; j < whole; j += kLanes) {
    std::memcpy(&scores, row + j, sizeof(scores));
    scores *= share;
    std::memcpy(row + j, &scores, sizeof(scores));
  }
  last *= share;
  if (rest > 0) std::memcpy(row + whole, &last, rest * sizeof(float));
  return sumOf(zeros) == 0.0F;
}

bool softmaxAnywhere(const float* scores, float factor, float* row, std::size_t count,
                     const std::uint8_t* takesPart) {
  return softmaxLoops(scores, factor, row, count, takesPart);
}

HEADSCOPE_AVX2 bool softmaxAvx2(const float* scores, float factor, float* row, std::size_t count,
                                const std::uint8_t* takesPart) {
  return softmaxLoops(scores, factor, row, count, takesPart);
}
HEADSCOPE_AVX512 bool softmaxAvx512(const float* scores, float factor, float* row,
                                    std::size_t count, const std::uint8_t* takesPart) {
  return softmaxLoops(scores, factor, row, count, takesPart);
}

/// Weights 0; as softmaxOfScaled of the scores that were there.
bool fillForbidden(std::span<const float> raw, float factor, std::span<float> row) {
  const auto count = static_cast<Index>(raw.size());
  // multiplied down, a finite score stays finite, and what is not finite stays so
  bool finite = allFinite({raw.data(), 1, count, count, 1});
  if (factor > 1.0F) {
    finite = finite && std::ranges::all_of(
                           raw, [factor](float score) { return std::isfinite(score * factor); });
  }
  std::fill(row.begin(), row.end(), 0.0F);
  return finite;
}

}  // namespace

std::vector<SoftmaxLoops> softmaxLoopsHere() {
  return runningHere<SoftmaxLoops>(softmaxAvx512, softmaxAvx2, softmaxAnywhere);
}

void softmaxRow(std::span<float> row, const AllowedKeys& allowed) {
  softmaxOfScaled(row, 1.0F, row, allowed);
}

bool softmaxOfScaled(std::span<const float> raw, float factor, std::span<float> row,
                     const AllowedKeys& allowed) {
  if (!allowed.any()) return fillForbidden(raw, factor, row);
  static const SoftmaxLoops loops = softmaxLoopsHere().front();
  const auto begin = static_cast<std::size_t>(allowed.begin);
  const auto end = static_cast<std::size_t>(allowed.end);
  const bool before = fillForbidden(raw.first(begin), factor, row.first(begin));
  const bool behind = fillForbidden(raw.subspan(end), factor, row.subspan(end));
  const bool within = loops(raw.data() + begin, factor, row.data() + begin, end - begin,
                            allowed.painted == nullptr ? nullptr : allowed.painted + begin);
  return before && within && behind;
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
