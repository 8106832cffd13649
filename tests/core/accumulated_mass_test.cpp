// The largest weights that make up a share of a row, against sorting all of them.
#include "core/analysis/accumulated_mass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace headscope::test {
namespace {

using Places = std::vector<Index>;

/// By sorting all of them.
Places naive(const std::vector<float>& row, double mass) {
  Places order(row.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto at = [&](Index j) {
    return std::abs(static_cast<double>(row[static_cast<std::size_t>(j)]));
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return at(a) > at(b); });
  double all = 0.0;
  for (const float w : row) all += std::abs(static_cast<double>(w));
  Places found;
  double sum = 0.0;
  for (const Index j : order) {
    if (at(j) == 0.0 || (!found.empty() && mass < 1.0 && sum >= mass * all)) break;
    found.push_back(j);
    sum += at(j);
  }
  return found;
}

TEST(LargestOfMass, KnownRows) {
  const std::vector<float> row{0.05F, 0.6F, 0.0F, 0.2F, 0.15F};
  EXPECT_EQ(largestOfMass(row, 0.5), (Places{1}));
  EXPECT_EQ(largestOfMass(row, 0.7), (Places{1, 3}));
  EXPECT_EQ(largestOfMass(row, 0.9), (Places{1, 3, 4}));
  EXPECT_EQ(largestOfMass(row, 1.0), (Places{1, 3, 4, 0}));
  EXPECT_EQ(largestOfMass(row, 1.0, 2), (Places{1, 3}));
  EXPECT_EQ(largestOfMass(std::vector<float>(4, 0.25F), 0.5), (Places{0, 1}));  // equals
  EXPECT_EQ(largestOfMass(std::vector<float>(4, 0.0F), 0.9), Places{});
  EXPECT_EQ(largestOfMass(std::vector<float>{-3.0F, 1.0F}, 0.5), (Places{0}));  // pinned
}

TEST(LargestOfMass, AgreesWithSorting) {
  std::uint64_t state = 7;
  const auto next = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<float>(state >> 40U) / 16777216.0F;
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<float> row(static_cast<std::size_t>(1 + round));
    for (float& w : row) w = std::floor(next() * 8.0F) / 8.0F;  // with zeros and equals
    for (const double mass : {0.05, 0.5, 0.9, 0.99, 1.0}) {
      const Places found = largestOfMass(row, mass);
      ASSERT_EQ(found, naive(row, mass)) << "round " << round << ", mass " << mass;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const auto place = static_cast<Index>(j);
        const bool in = std::find(found.begin(), found.end(), place) != found.end();
        ASSERT_EQ(isOfMass(row, place, mass), in) << "round " << round << ", place " << j;
      }
    }
  }
}

}  // namespace
}  // namespace headscope::test
