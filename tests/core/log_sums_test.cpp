// The sums for entropies and divergences, in the loop of every kind of processor.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "core/analysis/rows.h"
#include "core/base/random.h"

namespace headscope::test {
namespace {

using Row = std::vector<float>;

std::vector<Row> rows() {
  std::vector<Row> rows{{0.0F}, {1.0F}, {0.5F, 0.5F}, {-0.25F, 1.25F}};
  for (const std::size_t count : {3U, 16U, 17U, 255U, 256U, 257U, 1000U}) {
    rows.emplace_back(count, 1.0F / static_cast<float>(count));
    Row drawn(count);
    const RandomStream stream(count, "log sums");
    for (std::size_t j = 0; j < count; ++j) {
      drawn[j] = static_cast<float>(std::exp(3.0 * stream.normal(j)));
    }
    const float sum = std::accumulate(drawn.begin(), drawn.end(), 0.0F);
    for (float& weight : drawn) weight /= sum;
    rows.push_back(drawn);
    drawn[count / 2] = std::numeric_limits<float>::denorm_min();
    drawn[count / 3] = 0.0F;
    rows.push_back(drawn);
  }
  for (float p = 1.0F; p > 1e-37F; p *= 0.83F) rows.push_back({p});
  return rows;
}

double expected(const Row& row, const Row& other) {
  double sum = 0.0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double p = (double{row[j]} + double{other[j]}) / 2;
    if (p > 0.0) sum += p * std::log(p);
  }
  return sum;
}

TEST(LogSums, AgreeWithDoublePrecision) {
  for (const Row& row : rows()) {
    Row turned(row.rbegin(), row.rend());
    Row distances(row.size());
    std::iota(distances.begin(), distances.end(), 0.0F);
    double distance = 0.0;
    float largest = 0.0F;
    for (std::size_t j = 0; j < row.size(); ++j) {
      distance += double{row[j]} * double{distances[j]};
      largest = std::max(largest, row[j]);
    }
    const LogSumLoops loops = logSumLoopsHere().front();
    const LogSums sums = loops(row.data(), nullptr, distances.data(), row.size());
    const double logs = expected(row, row);
    EXPECT_NEAR(sums.logs, logs, 5e-7 * std::abs(logs) + 1e-36) << row.size() << " " << row[0];
    EXPECT_NEAR(sums.distance, distance, 1e-6 * std::abs(distance));
    EXPECT_EQ(sums.largest, largest);
    const double ofMean = expected(row, turned);
    const LogSums both = loops(row.data(), turned.data(), nullptr, row.size());
    EXPECT_NEAR(both.logs, ofMean, 5e-7 * std::abs(ofMean) + 1e-36);
    EXPECT_EQ(both.largest, 0.0);
  }
}

TEST(LogSums, HaveTheSameBitsOnEveryProcessor) {
  const auto loops = logSumLoopsHere();
  for (const Row& row : rows()) {
    const Row turned(row.rbegin(), row.rend());
    const LogSums first = loops.back()(row.data(), turned.data(), turned.data(), row.size());
    for (const LogSumLoops each : loops) {
      const LogSums sums = each(row.data(), turned.data(), turned.data(), row.size());
      EXPECT_EQ(sums.logs, first.logs);
      EXPECT_EQ(sums.distance, first.distance);
      EXPECT_EQ(sums.largest, first.largest);
    }
  }
}

}  // namespace
}  // namespace headscope::test
