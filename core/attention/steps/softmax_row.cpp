#include "core/attention/steps/softmax_row.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/attention/config.h"
#include "core/tensor/finite.h"
#include "core/tensor/lanes.h"

namespace headscope {
namespace {

using Bytes [[gnu::vector_size(16)]] = std::uint8_t;

/// The logarithm of kLeastWeight, rounded up: scores further below the row's maximum get weight 0.
constexpr float kUnderflow = -87.33654F;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// eˣ for x in [kUnderflow, 0], to 1 unit in the last place: x = n ln 2 + r with |r| ≤ ln 2 / 2, eʳ
/// by its Taylor polynomial, and n added to the exponent. At kUnderflow n is −126 and r is above 0,
/// so that every result is a normal number.
[[gnu::always_inline]] inline void expOfNegative(Lanes& x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;  // few digits: its product with n is exact
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 · 2²³: adding it rounds, the low bits hold n
  const Lanes shifted = x * kLog2E + kRounder;
  const Lanes n = shifted - kRounder;
  const Lanes r = (x - n * kLn2High) - n * kLn2Low;
  // evaluated in pairs, for a shorter chain of dependent operations
  const Lanes r2 = r * r;
  const Lanes low = r * (1.0F / 6.0F) + 0.5F;
  const Lanes middle = r * (1.0F / 120.0F) + 1.0F / 24.0F;
  const Lanes high = r * (1.0F / 5040.0F) + 1.0F / 720.0F;
  const Lanes p = (((high * r2 + middle) * r2 + low) * r2 + r) + 1.0F;
  x = (Lanes)((LaneBits)p + ((LaneBits)shifted << 23U));
}

/// Replaces those of `count` scores that take no part by −∞ (null: all take part).
[[gnu::always_inline]] inline void leaveOut(Lanes& scores, const std::uint8_t* takesPart,
                                            std::size_t count) {
  if (takesPart == nullptr) return;
  Bytes bytes{};
  std::memcpy(&bytes, takesPart, count);
  const LaneBits wide = __builtin_convertvector(bytes, LaneBits);
  scores = wide != 0U ? scores : Lanes{} - kInfinity;
}

/// Loads up to kLanes scores, scaled; −∞ for those past the end or without a part. Adds 0 times
/// each loaded score to `zeros`, which stays 0 only if all are finite.
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
  leaveOut(scores, takesPart, count);
}

/// Computes e^(cell − maximum); 0 for cells below kUnderflow.
[[gnu::always_inline]] inline void expBelow(Lanes& cells, float maximum) {
  const Lanes below = cells - maximum;
  cells = below < kUnderflow ? Lanes{} + kUnderflow : below;
  expOfNegative(cells);
  cells = below < kUnderflow ? Lanes{} : cells;
}

/// Multiplies exponentials by `share`, which is 1 / Σ. Weights below kLeastWeight become 0.
[[gnu::always_inline]] inline void shareOut(Lanes& exponentials, float share) {
  exponentials *= share;
  exponentials = exponentials < kLeastWeight ? Lanes{} : exponentials;
}

/// Computes the softmax of one row of any length. At least one score must take part, by `takesPart`
/// (null: all). `row` may be `from`. False where a scaled score is NaN or infinite.
[[gnu::always_inline]] inline bool softmaxOfRow(const float* from, float factor, float* row,
                                                std::size_t count, const std::uint8_t* takesPart) {
  const std::size_t whole = count / kLanes * kLanes;
  const std::size_t rest = count - whole;
  const auto parts = [takesPart](std::size_t j) {
    return takesPart == nullptr ? nullptr : takesPart + j;
  };
  Lanes scores;
  Lanes zeros{};
  Lanes last = Lanes{} - kInfinity;  // the rest of the row, kept in a register
  if (rest > 0) loadScaled(last, from + whole, factor, rest, parts(whole), zeros);
  Lanes maxima = last;
  for (std::size_t j = 0; j < whole; j += kLanes) {
    loadScaled(scores, from + j, factor, kLanes, parts(j), zeros);
    maxima = scores > maxima ? scores : maxima;
  }
  const float maximum = horizontalMax(maxima);

  expBelow(last, maximum);
  Lanes sums = last;
  Lanes seen{};  // scores already checked
  for (std::size_t j = 0; j < whole; j += kLanes) {
    loadScaled(scores, from + j, factor, kLanes, parts(j), seen);
    expBelow(scores, maximum);
    sums += scores;
    std::memcpy(row + j, &scores, sizeof(scores));
  }
  const float share = 1.0F / sumOf(sums);
  for (std::size_t j = 0; j < whole; j += kLanes) {
    std::memcpy(&scores, row + j, sizeof(scores));
    shareOut(scores, share);
    std::memcpy(row + j, &scores, sizeof(scores));
  }
  shareOut(last, share);
  if (rest > 0) std::memcpy(row + whole, &last, rest * sizeof(float));
  return sumOf(zeros) == 0.0F;
}

/// Fills a row with weights of 0. False where one of its scaled scores is NaN or infinite.
bool fillForbidden(const float* raw, float factor, float* row, Index count) {
  // with a factor of at most 1, a finite score stays finite, and any other stays not finite
  bool finite = allFinite({raw, 1, count, count, 1});
  if (factor > 1.0F) {
    finite = finite && std::all_of(raw, raw + count,
                                   [factor](float score) { return std::isfinite(score * factor); });
  }
  std::fill(row, row + count, 0.0F);
  return finite;
}

/// Rows of up to kParts · kLanes scores, kRows at once. The operations of one row depend on each
/// other, so several rows are interleaved. Partial register loads and stores are slow. A load may
/// therefore read beyond the end of a row, up to the end of the last one; where rows are adjacent,
/// a store may write into the next row, which is stored later.
template <int kParts, int kRows>
[[gnu::always_inline]] inline void softmaxOfShortRows(const ConstMatrixView& raw, float factor,
                                                      const MatrixView& weights,
                                                      const AllowedKeys* allowed, Index first,
                                                      Lanes& zeros) {
  constexpr LaneBits kPlaces{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  constexpr auto kWidth = static_cast<Index>(kLanes);
  const Index lastPart = (kParts - 1) * kWidth;
  const Index tail = raw.cols - lastPart;
  // the number of cells of a row's last part that are loaded, and stored
  const auto loaded = [&](Index row) {
    const Index toTheEnd = (raw.rows - 1 - row) * raw.rowStride + tail;
    return static_cast<std::size_t>(toTheEnd < kWidth ? tail : kWidth);
  };
  const bool apart = weights.rowStride != weights.cols || raw.data == weights.data;
  const auto stored = [&](Index row) {
    const Index toTheEnd = (weights.rows - 1 - row) * weights.rowStride + tail;
    return static_cast<std::size_t>(apart || toTheEnd < kWidth ? tail : kWidth);
  };
  Lanes cells[kRows][kParts];
  float maximum[kRows] = {};
  for (int r = 0; r < kRows; ++r) {
    const float* from = raw.data + (first + r) * raw.rowStride;
    const AllowedKeys& keys = allowed[first + r];
    const auto allowedCount = static_cast<std::uint32_t>(keys.end - keys.begin);
    Lanes maxima = Lanes{} - kInfinity;
    for (int part = 0; part < kParts; ++part) {
      const Index before = part * kWidth;
      Lanes& scores = cells[r][part];
      loadLanes(scores, from + before, part + 1 < kParts ? kLanes : loaded(first + r));
      if (part + 1 == kParts) {
        scores = kPlaces < static_cast<std::uint32_t>(tail) ? scores : Lanes{};
      }
      scores *= factor;
      zeros += scores * 0.0F;
      const auto begin = static_cast<std::uint32_t>(keys.begin - before);
      scores = kPlaces - begin < allowedCount ? scores : Lanes{} - kInfinity;
      leaveOut(scores, keys.painted == nullptr ? nullptr : keys.painted + before,
               part + 1 < kParts ? kLanes : static_cast<std::size_t>(tail));
      maxima = scores > maxima ? scores : maxima;
    }
    // finite even for a row without an allowed key, whose cells all lie infinitely below it
    maximum[r] = std::max(horizontalMax(maxima), std::numeric_limits<float>::lowest());
  }
  float sum[kRows] = {};
  for (int r = 0; r < kRows; ++r) {
    Lanes sums{};
    for (int part = kParts; part-- > 0;) {
      expBelow(cells[r][part], maximum[r]);
      sums += cells[r][part];
    }
    sum[r] = sumOf(sums);
  }
  for (int r = 0; r < kRows; ++r) {
    float* to = weights.data + (first + r) * weights.rowStride;
    const float share = sum[r] > 0.0F ? 1.0F / sum[r] : 0.0F;
    for (int part = 0; part < kParts; ++part) {
      shareOut(cells[r][part], share);
      const std::size_t count = part + 1 < kParts ? kLanes : stored(first + r);
      if (count == kLanes) {
        std::memcpy(to + part * kWidth, &cells[r][part], sizeof(Lanes));
      } else {
        std::memcpy(to + part * kWidth, &cells[r][part], count * sizeof(float));
      }
    }
  }
}

template <int kParts>
[[gnu::always_inline]] inline bool softmaxOfShortRows(const ConstMatrixView& raw, float factor,
                                                      const MatrixView& weights,
                                                      const AllowedKeys* allowed) {
  constexpr Index kAtOnce = 4;
  Lanes zeros{};
  if (raw.rows < kAtOnce || raw.data == weights.data) {
    for (Index row = 0; row < raw.rows; ++row) {
      softmaxOfShortRows<kParts, 1>(raw, factor, weights, allowed, row, zeros);
    }
  } else {  // the last group overlaps the one before where rows do not divide evenly
    for (Index row = 0; row < raw.rows; row += kAtOnce) {
      const Index first = std::min(row, raw.rows - kAtOnce);
      softmaxOfShortRows<kParts, kAtOnce>(raw, factor, weights, allowed, first, zeros);
    }
  }
  return sumOf(zeros) == 0.0F;
}

/// The loop of SoftmaxLoops.
[[gnu::always_inline]] inline bool softmaxLoops(const ConstMatrixView& raw, float factor,
                                                const MatrixView& weights,
                                                const AllowedKeys* allowed) {
  constexpr auto kShort = static_cast<Index>(kLanes);
  if (raw.cols <= kShort) return softmaxOfShortRows<1>(raw, factor, weights, allowed);
  if (raw.cols <= 2 * kShort) return softmaxOfShortRows<2>(raw, factor, weights, allowed);
  bool finite = true;
  for (Index r = 0; r < raw.rows; ++r) {
    const float* from = raw.data + r * raw.rowStride;
    float* to = weights.data + r * weights.rowStride;
    AllowedKeys keys = allowed[r];
    if (!keys.any()) keys.end = keys.begin;
    finite &= fillForbidden(from, factor, to, keys.begin);
    finite &= fillForbidden(from + keys.end, factor, to + keys.end, raw.cols - keys.end);
    if (keys.end == keys.begin) continue;
    finite &= softmaxOfRow(from + keys.begin, factor, to + keys.begin,
                           static_cast<std::size_t>(keys.end - keys.begin),
                           keys.painted == nullptr ? nullptr : keys.painted + keys.begin);
  }
  return finite;
}

bool softmaxAnywhere(const ConstMatrixView& raw, float factor, const MatrixView& weights,
                     const AllowedKeys* allowed) {
  return softmaxLoops(raw, factor, weights, allowed);
}
HEADSCOPE_AVX2 bool softmaxAvx2(const ConstMatrixView& raw, float factor, const MatrixView& weights,
                                const AllowedKeys* allowed) {
  return softmaxLoops(raw, factor, weights, allowed);
}
HEADSCOPE_AVX512 bool softmaxAvx512(const ConstMatrixView& raw, float factor,
                                    const MatrixView& weights, const AllowedKeys* allowed) {
  return softmaxLoops(raw, factor, weights, allowed);
}

}  // namespace

std::vector<SoftmaxLoops> softmaxLoopsHere() {
  return supportedVariants<SoftmaxLoops>(softmaxAvx512, softmaxAvx2, softmaxAnywhere);
}

bool softmaxOfScaled(const ConstMatrixView& raw, float factor, const MatrixView& weights,
                     std::span<const AllowedKeys> allowed) {
  static const SoftmaxLoops loops = softmaxLoopsHere().front();
  return loops(raw, factor, weights, allowed.data());
}

void softmaxRow(std::span<float> row, const AllowedKeys& allowed) {
  const auto keys = static_cast<Index>(row.size());
  const MatrixView cells{row.data(), 1, keys, keys};
  softmaxOfScaled(cells, 1.0F, cells, {&allowed, 1});
}

void softmaxRow(std::span<float> row, const AllowedKeys& allowed, float sink) {
  double maximum = static_cast<double>(sink);
  const auto eachAllowed = [&](const auto& call) {
    for (Index key = allowed.begin; key < allowed.end; ++key) {
      if (allowed(key)) call(static_cast<double>(row[static_cast<std::size_t>(key)]));
    }
  };
  eachAllowed([&](double score) { maximum = std::max(maximum, score); });
  double ofKeys = 0.0;
  eachAllowed([&](double score) { ofKeys += std::exp(score - maximum); });
  const double ofSink = std::exp(static_cast<double>(sink) - maximum);
  softmaxRow(row, allowed);
  const auto share = static_cast<float>(ofKeys / (ofKeys + ofSink));
  for (float& weight : row) weight = weight * share < kLeastWeight ? 0.0F : weight * share;
}

void softmaxOfHead(std::span<float> row, const AllowedKeys& allowed, const AttentionConfig& config,
                   Index head) {
  if (config.sinks.empty()) return softmaxRow(row, allowed);
  softmaxRow(row, allowed, config.sinks[static_cast<std::size_t>(head)]);
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
    addScoreBias(row, config, part);  // softmaxRow leaves out forbidden keys
  }
}

}  // namespace headscope
