#include "core/weights/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace headscope {
namespace {

TEST(Random, GivesTheSameBitsForEver) {
  // Held fast: sessions and pictures from a seed must come out the same in any later version.
  const RandomStream stream(1, "W_Q");
  EXPECT_EQ(mix64(1), 0x5692161D100B05E5ULL);
  EXPECT_EQ(stream.bits(0), 0x39DE15E02DE2D540ULL);
  EXPECT_EQ(stream.bits(4), 0xEBC54B34FE1754D4ULL);
  EXPECT_EQ(stream.uniform(0), -0.5479100942611694F);
  EXPECT_NE(stream.bits(0), RandomStream(2, "W_Q").bits(0));
  EXPECT_NE(stream.bits(0), RandomStream(1, "W_K").bits(0));
}

TEST(Random, NeighbouringSeedsAreNotShiftedCopies) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const RandomStream stream(seed, "W_Q");
    for (std::uint64_t n = 0; n < 50; ++n) seen.insert(stream.bits(n));
  }
  EXPECT_EQ(seen.size(), 50U * 50U);
}

TEST(Random, UniformFillsItsRangeEvenly) {
  const RandomStream stream(7, "x");
  constexpr int kCount = 200'000;
  double sum = 0.0;
  double squares = 0.0;
  for (int n = 0; n < kCount; ++n) {
    const float u = stream.uniform(static_cast<std::uint64_t>(n));
    ASSERT_GE(u, -1.0F);
    ASSERT_LT(u, 1.0F);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.005);
  EXPECT_NEAR(squares / kCount, 1.0 / 3.0, 0.005);
}

TEST(Random, NormalHasMeanZeroVarianceOneAndTails) {
  const RandomStream stream(7, "x");
  constexpr int kCount = 200'000;
  double sum = 0.0;
  double squares = 0.0;
  int beyondTwo = 0;
  for (int n = 0; n < kCount; ++n) {
    const double z = stream.normal(static_cast<std::uint64_t>(n));
    sum += z;
    squares += z * z;
    beyondTwo += std::abs(z) > 2.0 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.01);
  EXPECT_NEAR(squares / kCount, 1.0, 0.01);
  EXPECT_NEAR(static_cast<double>(beyondTwo) / kCount, 0.0455, 0.003);
}

}  // namespace
}  // namespace headscope
