#include "core/analysis/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/steps/softmax_row.h"

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
  if (!anyKeys) return "every row is fully masked";
  if (tokens == 0) return "no query counts: all are padding";
  return "every row that is not padding is fully masked";
}

namespace {

/// What may have taken it from them; empty: nothing.
std::vector<std::string> causes(const Document& document, Index item, Index head) {
  std::vector<std::string> found;
  if (document.config.dropout.on()) found.emplace_back("dropout");
  if (!document.pins.of(TensorId::weights, item, head).empty()) found.emplace_back("a pin");
  if (document.config.mistakes.softmaxOverQueries) found.emplace_back("softmax over queries");
  return found;
}

}  // namespace

std::string whyNoShares(const Trace& trace, Index item, Index head, const CountedRows& rows) {
  constexpr double kRounding = 1e-4;  // of a sum in single precision, however long
  const std::vector<std::string> found = causes(trace.document(), item, head);
  if (found.empty()) return {};
  HeadRows weights(trace, TensorId::weights, item, head);
  for (const CountedRow& counted : rows.rows) {
    const std::span<const float> row = weights.row(counted.row);
    const bool belowZero = std::any_of(row.begin(), row.end(), [](float w) { return w < 0.0F; });
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!belowZero && std::abs(sum - 1.0) <= kRounding) continue;
    return fmt::format("{} ({})",
                       belowZero ? "a row has a weight below 0" : "a row's weights do not sum to 1",
                       fmt::join(found, ", "));
  }
  return {};
}

namespace {

using WeightRow = Eigen::Map<const Eigen::ArrayXf>;

constexpr Index kSummedAtOnce =
    256;  // stays in the first-level cache; short enough for single precision

/// Keeps the logarithm of 0 finite, whose product with 0 is then 0.
constexpr float kTiny = std::numeric_limits<float>::min();

/// Σ p ln p
template <typename Expression>
double sumOfLogs(const Expression& p) {
  return (p.max(0.0F) * p.max(kTiny).log()).sum();
}

/// In bits, and not −0 or a rounding below it where one weight is 1.
double inBits(double sumOfLogs) {
  const double bits = -sumOfLogs / std::numbers::ln2;
  return -upTo(0.0, -bits) + 0.0;
}

template <typename Function>
void inPieces(Index count, Function&& function) {
  for (Index begin = 0; begin < count; begin += kSummedAtOnce) {
    function(begin, std::min(kSummedAtOnce, count - begin));
  }
}

}  // namespace

double entropyOf(const float* p, Index count) {
  double sum = 0.0;
  inPieces(count, [&](Index begin, Index size) { sum += sumOfLogs(WeightRow(p + begin, size)); });
  return inBits(sum);
}

double entropyOfMean(const float* a, const float* b, Index count) {
  double sum = 0.0;
  Eigen::Array<float, kSummedAtOnce, 1> mean;
  inPieces(count, [&](Index begin, Index size) {
    mean.head(size) = (WeightRow(a + begin, size) + WeightRow(b + begin, size)) * 0.5F;
    sum += sumOfLogs(mean.head(size));
  });
  return inBits(sum);
}

RowSums rowSums(const float* p, const float* distances, Index count) {
  RowSums sums;
  double logs = 0.0;
  inPieces(count, [&](Index begin, Index size) {
    const WeightRow part(p + begin, size);
    logs += sumOfLogs(part);
    sums.distance += (part * WeightRow(distances + begin, size)).sum();
    sums.largest = std::max<double>(sums.largest, part.maxCoeff());
  });
  sums.entropy = inBits(logs);
  return sums;
}

}  // namespace headscope
