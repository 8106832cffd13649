#include "core/analysis/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/dropped_cells.h"
#include "core/attention/steps/softmax_row.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/tensor/lanes.h"

namespace headscope {

namespace {

bool isPadding(const Document& document, Index item, Index query) {
  const AttentionConfig& c = document.config;
  if (c.crossAttention()) {
    const auto& tokens = document.input->tokens[static_cast<std::size_t>(item)];
    return tokens[static_cast<std::size_t>(query)].empty();
  }
  return !c.mask.lengths.empty() && query >= c.mask.lengths[static_cast<std::size_t>(item)];
}

}  // namespace

CountedRows countedRows(const Document& document, Index item) {
  const AttentionConfig& c = document.config;
  // a pinned weight may lie where the mask forbids one
  const bool anywhere = !document.pins.of(TensorId::weights).empty();
  CountedRows counted;
  for (Index row = 0; row < c.seqLen; ++row) {
    const AllowedKeys keys = softmaxKeys(c, item, row);
    const Index count = keys.count();
    counted.anyKeys = counted.anyKeys || count > 0;
    if (isPadding(document, item, row)) continue;
    ++counted.tokens;
    if (count == 0) continue;
    counted.rows.push_back(
        {row, keys, count, anywhere ? 0 : keys.begin, anywhere ? c.keys() : keys.end});
  }
  return counted;
}

std::string CountedRows::whyEmpty() const {
  if (!anyKeys) return tr("every row is fully masked");
  if (tokens == 0) return tr("no query counts: all are padding");
  return tr("every row that is not padding is fully masked");
}

namespace {

/// The settings by which a head's weights may stop being shares of 1; empty: none.
std::vector<std::string> causes(const Document& document, Index item, Index head) {
  std::vector<std::string> found;
  if (document.config.dropout.on()) found.emplace_back("dropout");
  if (!document.pins.of(TensorId::weights, item, head).empty()) found.emplace_back("a pin");
  if (document.config.mistakes.softmaxOverQueries) found.emplace_back(tr("softmax over queries"));
  return found;
}

}  // namespace

std::string whyNotDistribution(const Trace& trace, Index item, Index head,
                               const CountedRows& rows) {
  constexpr double kRounding = 1e-4;  // of a sum in single precision, however long
  const std::vector<std::string> found = causes(trace.document(), item, head);
  if (found.empty()) return {};
  HeadRows weights(trace, TensorId::weights, item, head);
  for (const CountedRow& counted : rows.rows) {
    const std::span<const float> row = weights.row(counted.row);
    const bool belowZero = std::any_of(row.begin(), row.end(), [](float w) { return w < 0.0F; });
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!belowZero && std::abs(sum - 1.0) <= kRounding) continue;
    return fmt::format(
        "{} ({})",
        belowZero ? tr("a row has a weight below 0") : tr("a row's weights do not sum to 1"),
        fmt::join(found, ", "));
  }
  return {};
}

WeightRange weightRange(const AttentionConfig& config, const Pins& pins, Index item, Index head) {
  WeightRange range;
  if (config.dropout.on()) range.high = DroppedCells(config).factor();
  for (const Pin& pin : pins.of(TensorId::weights)) {
    if (pin.cell.item != item || (head >= 0 && pin.cell.head != head)) continue;
    range = range.with({pin.value, pin.value});
  }
  return range;
}

namespace {

/// x ln x, and 0 where x is not above 0, to some units in the last place: x = m · 2ⁿ with m from
/// √½ to √2, and ln m = 2 (s + s³/3 + s⁵/5 + …) with s = (m − 1)/(m + 1), |s| ≤ 0.172.
[[gnu::always_inline]] inline void timesLog(Lanes& x) {
  constexpr float kLn2 = std::numbers::ln2_v<float>;
  constexpr std::uint32_t kRootHalf = 0x3f3504f3;                 // the bits of √½
  constexpr float kSmallest = std::numeric_limits<float>::min();  // its logarithm is finite
  const Lanes bounded = x > kSmallest ? x : Lanes{} + kSmallest;
  const LaneIntegers n = (LaneIntegers)((LaneBits)bounded - kRootHalf) >> 23;
  const Lanes m = (Lanes)((LaneBits)bounded - ((LaneBits)n << 23U));
  const Lanes s = (m - 1.0F) / (m + 1.0F);
  const Lanes s2 = s * s;
  const Lanes series =
      (((s2 * (2.0F / 9.0F) + 2.0F / 7.0F) * s2 + 2.0F / 5.0F) * s2 + 2.0F / 3.0F) * s2 + 2.0F;
  const Lanes logarithm = __builtin_convertvector(n, Lanes) * kLn2 + s * series;
  x = x > 0.0F ? x * logarithm : Lanes{};
}

/// The loop of LogSumLoops. It sums in single precision within short pieces, and in double across
/// them.
[[gnu::always_inline]] inline LogSums logSums(const float* p, const float* other,
                                              const float* distances, std::size_t count) {
  constexpr std::size_t kPiece = 256;
  LogSums sums;
  Lanes largest{};
  for (std::size_t begin = 0; begin < count; begin += kPiece) {
    Lanes logs{};
    Lanes distance{};
    const std::size_t end = std::min(begin + kPiece, count);
    for (std::size_t j = begin; j < end; j += kLanes) {
      const std::size_t here = std::min(kLanes, end - j);
      Lanes weights;
      Lanes second;
      loadLanes(weights, p + j, here);
      if (other != nullptr) {
        loadLanes(second, other + j, here);
        weights = (weights + second) * 0.5F;
      }
      if (distances != nullptr) {
        loadLanes(second, distances + j, here);
        distance += weights * second;
        largest = weights > largest ? weights : largest;
      }
      timesLog(weights);
      logs += weights;
    }
    sums.logs += static_cast<double>(sumOf(logs));
    sums.distance += static_cast<double>(sumOf(distance));
  }
  sums.largest = static_cast<double>(horizontalMax(largest));
  return sums;
}

LogSums logSumsAnywhere(const float* p, const float* other, const float* distances,
                        std::size_t count) {
  return logSums(p, other, distances, count);
}
HEADSCOPE_AVX2 LogSums logSumsAvx2(const float* p, const float* other, const float* distances,
                                   std::size_t count) {
  return logSums(p, other, distances, count);
}
HEADSCOPE_AVX512 LogSums logSumsAvx512(const float* p, const float* other, const float* distances,
                                       std::size_t count) {
  return logSums(p, other, distances, count);
}

LogSums logSumsHere(const float* p, const float* other, const float* distances, Index count) {
  static const LogSumLoops loops = logSumLoopsHere().front();
  return loops(p, other, distances, static_cast<std::size_t>(count));
}

/// Converts Σ p ln p to an entropy in bits, at least +0: with one weight of 1, rounding may fall
/// below.
double inBits(double sumOfLogs) {
  const double bits = -sumOfLogs / std::numbers::ln2;
  return -upTo(0.0, -bits) + 0.0;
}

}  // namespace

std::vector<LogSumLoops> logSumLoopsHere() {
  return supportedVariants<LogSumLoops>(logSumsAvx512, logSumsAvx2, logSumsAnywhere);
}

double entropyOf(const float* p, Index count) {
  return inBits(logSumsHere(p, nullptr, nullptr, count).logs);
}

double entropyOfMean(const float* a, const float* b, Index count) {
  return inBits(logSumsHere(a, b, nullptr, count).logs);
}

RowSums rowSums(const float* p, const float* distances, Index count) {
  const LogSums sums = logSumsHere(p, nullptr, distances, count);
  return {inBits(sums.logs), sums.distance, sums.largest};
}

}  // namespace headscope
