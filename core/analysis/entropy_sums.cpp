#include "core/analysis/entropy_sums.h"

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <numbers>

namespace headscope {
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
