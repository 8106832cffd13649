// The softmax of one row: against double precision, and the same bits whatever the processor.
#include "core/steps/softmax_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/core/support/passes.h"

namespace headscope::test {
namespace {

struct Row {
  std::vector<float> scores;
  std::vector<std::uint8_t> takesPart;  // empty: all do
};

/// Of every length about a register's, with and without some that take no part, flat and steep.
std::vector<Row> rows() {
  std::vector<Row> rows;
  for (Index count = 1; count < 70; ++count) {
    for (const float spread : {0.0F, 1.0F, 30.0F, 3e38F}) {
      const auto scores = randomTensor({count}, 1, "scores", spread).values();
      rows.push_back({scores, {}});
      std::vector<std::uint8_t> takesPart(scores.size());
      for (std::size_t j = 0; j < scores.size(); ++j) takesPart[j] = (j * 7 + 3) % 4 != 0 ? 1 : 0;
      if (std::find(takesPart.begin(), takesPart.end(), 1) != takesPart.end()) {
        rows.push_back({scores, takesPart});
      }
    }
  }
  constexpr float kMost = std::numeric_limits<float>::max();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 40U}) {
    for (const float value : {kMost, -kMost, kLeast, -kLeast, 0.0F}) {
      std::vector<float> equal(count, value);
      rows.push_back({equal, {}});
      equal.back() = -value;
      rows.push_back({equal, {}});
      std::vector<std::uint8_t> onlyLast(count, 0);
      onlyLast.back() = 1;
      rows.push_back({equal, onlyLast});
    }
  }
  return rows;
}

std::vector<float> softmaxOf(const Row& row, SoftmaxLoops loops) {
  std::vector<float> weights = row.scores;
  loops(weights.data(), 1.0F, weights.data(), weights.size(),
        row.takesPart.empty() ? nullptr : row.takesPart.data());
  return weights;
}

TEST(SoftmaxRow, AgreesWithDoublePrecision) {
  for (const Row& row : rows()) {
    const auto weights = softmaxOf(row, softmaxLoopsHere().front());
    const auto takesPart = [&](std::size_t j) {
      return row.takesPart.empty() || row.takesPart[j] != 0;
    };
    double maximum = -INFINITY;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (takesPart(j)) maximum = std::max(maximum, double{row.scores[j]});
    }
    double sum = 0.0;
    std::vector<double> e(weights.size());
    for (std::size_t j = 0; j < e.size(); ++j) {
      e[j] = takesPart(j) ? std::exp(double{row.scores[j]} - maximum) : 0.0;
      sum += e[j];
    }
    for (std::size_t j = 0; j < e.size(); ++j) {
      // rounding of the exponential and the sum, and of the exponent, which score − max is
      const double exponent = takesPart(j) ? maximum - double{row.scores[j]} : 0.0;
      const double allowed = (3e-7 + exponent * 6e-8) * (e[j] / sum);
      ASSERT_NEAR(weights[j], e[j] / sum, allowed + 1e-34) << j << " of " << e.size();
    }
  }
}

TEST(SoftmaxRow, HasTheSameBitsOnEveryProcessor) {
  const auto loops = softmaxLoopsHere();
  for (const Row& row : rows()) {
    const auto expected = softmaxOf(row, loops.back());
    for (const SoftmaxLoops each : loops) {
      const auto weights = softmaxOf(row, each);
      ASSERT_EQ(std::memcmp(weights.data(), expected.data(), weights.size() * sizeof(float)), 0)
          << row.scores.size();
    }
  }
}

}  // namespace
}  // namespace headscope::test
