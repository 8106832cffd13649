// The softmax of one row: against double precision, with equal bits on every processor.
#include "core/attention/steps/softmax_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "tests/core/support/passes.h"

namespace headscope::test {
namespace {

struct Row {
  std::vector<float> scores;
  std::vector<std::uint8_t> takesPart;  // empty: all do
};

/// Rows of every length around that of a register, with and without excluded keys, flat and steep.
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
  const auto keys = static_cast<Index>(weights.size());
  const MatrixView cells{weights.data(), 1, keys, keys};
  const AllowedKeys allowed{0, keys, row.takesPart.empty() ? nullptr : row.takesPart.data()};
  loops(cells, 1.0F, cells, &allowed);
  return weights;
}

/// The allowed keys of a row, by turns: all, some at either end, one, none, painted ones.
AllowedKeys keysOf(Index row, Index keys, const std::uint8_t* painted) {
  switch (row % 7) {
    case 0:
      return {0, keys, nullptr};
    case 1:
      return {0, std::min<Index>(keys, row + 1), nullptr};
    case 2:
      return {keys / 3, keys, nullptr};
    case 3:
      return {keys - 1, keys, nullptr};
    case 4:
      return {keys / 2, keys / 2, nullptr};
    case 5:
      return {0, keys, painted};
    default:
      return {keys / 4, keys, painted};
  }
}

/// Rows of scores, `stride` apart; every other value of the memory is kNobodys.
struct Rows {
  static constexpr float kNobodys = 7.0F;

  Rows(Index count, Index keys, Index stride)
      : memory(static_cast<std::size_t>((count + 2) * stride), kNobodys),
        cells{memory.data() + stride, count, keys, stride} {}

  std::vector<float> memory;
  MatrixView cells;
};

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

/// Each weight that is a normal float32 number is exact to its last digits; a smaller one is
/// exactly 0, never a subnormal number.
TEST(SoftmaxRow, KeepsWeightsDownToTheSmallestNormalNumber) {
  constexpr double kLeast = std::numeric_limits<float>::min();
  for (const SoftmaxLoops loops : softmaxLoopsHere()) {
    for (const std::size_t count : {2U, 17U, 33U, 64U}) {
      for (float below = 79.0F; below < 110.0F; below += 0.013F) {
        Row row{std::vector<float>(count, -below), {}};
        row.scores.front() = 0.0F;
        row.scores.back() = -0.5F;  // a sum above 1
        if (count == 2) row.scores.back() = -below;
        const auto weights = softmaxOf(row, loops);
        double sum = 0.0;
        for (const float score : row.scores) sum += std::exp(double{score});
        for (std::size_t j = 0; j < count; ++j) {
          const double expected = std::exp(double{row.scores[j]}) / sum;
          const double rounding = 3e-7 + 6e-8 * below;
          if (expected > kLeast * (1.0 + rounding)) {
            ASSERT_NEAR(weights[j] / expected, 1.0, rounding) << below;
          } else if (expected < kLeast * (1.0 - rounding)) {
            ASSERT_EQ(weights[j], 0.0F) << below;
          } else {
            ASSERT_NE(std::fpclassify(weights[j]), FP_SUBNORMAL) << below;
          }
        }
      }
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

TEST(SoftmaxRow, OfSeveralRowsIsThatOfEachByItselfAndWritesNothingElse) {
  for (const SoftmaxLoops loops : softmaxLoopsHere()) {
    for (Index keys = 1; keys <= 40; ++keys) {
      std::vector<std::uint8_t> painted(static_cast<std::size_t>(keys));
      for (std::size_t j = 0; j < painted.size(); ++j) painted[j] = j % 3 == 1 ? 0 : 1;
      for (const Index count : {1, 3, 4, 6, 9}) {
        const Tensor scores = randomTensor({count, keys}, 1, "scores", 3.0F);
        std::vector<AllowedKeys> allowed;
        for (Index r = 0; r < count; ++r) allowed.push_back(keysOf(r, keys, painted.data()));
        for (const auto& [apart, weightsApart] : {std::pair<Index, Index>{0, 0}, {0, 3}, {5, 0}}) {
          Rows raw(count, keys, keys + apart);
          Rows weights(count, keys, keys + weightsApart);
          for (Index r = 0; r < count; ++r) {
            std::copy_n(scores.data() + r * keys, keys, raw.cells.row(r).data());
          }
          ASSERT_TRUE(loops(raw.cells, 0.5F, weights.cells, allowed.data()));
          ASSERT_TRUE(loops(raw.cells, 0.5F, raw.cells, allowed.data()));  // in their own place
          for (Index r = 0; r < count; ++r) {
            std::vector<float> alone(scores.data() + r * keys, scores.data() + (r + 1) * keys);
            for (float& score : alone) score *= 0.5F;
            softmaxRow(alone, allowed[static_cast<std::size_t>(r)]);
            for (Index j = 0; j < keys; ++j) {
              ASSERT_EQ(weights.cells(r, j), alone[static_cast<std::size_t>(j)])
                  << count << " rows of " << keys << ": " << r << ", " << j;
              ASSERT_EQ(raw.cells(r, j), weights.cells(r, j));
              ASSERT_EQ(alone[static_cast<std::size_t>(j)] == 0.0F,
                        !allowed[static_cast<std::size_t>(r)](j));
              weights.cells(r, j) = Rows::kNobodys;
            }
          }
          for (const float value : weights.memory) ASSERT_EQ(value, Rows::kNobodys);
        }
      }
    }
  }
}

TEST(SoftmaxRow, TellsOfEveryScoreThatIsNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kMost = std::numeric_limits<float>::max();
  for (const SoftmaxLoops loops : softmaxLoopsHere()) {
    for (const Index keys : {3, 16, 21, 32, 40}) {
      for (Index place = 0; place < 6 * keys; ++place) {
        for (const auto& [value, factor] : {std::pair{kInfinity, 1.0F},
                                            {-kInfinity, 0.5F},
                                            {std::nanf(""), 1.0F},
                                            {kMost, 2.0F}}) {
          std::vector<float> scores(static_cast<std::size_t>(6 * keys), 1.0F);
          std::vector<float> weights(scores.size());
          const MatrixView raw{scores.data(), 6, keys, keys};
          std::vector<AllowedKeys> allowed;
          for (Index r = 0; r < 6; ++r) allowed.push_back(keysOf(r, keys, nullptr));
          const MatrixView to{weights.data(), 6, keys, keys};
          ASSERT_TRUE(loops(raw, factor, to, allowed.data()));
          scores[static_cast<std::size_t>(place)] = value;
          ASSERT_FALSE(loops(raw, factor, to, allowed.data())) << keys << ": " << place;
        }
      }
    }
  }
}

}  // namespace
}  // namespace headscope::test
