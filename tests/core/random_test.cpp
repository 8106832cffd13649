#include "core/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

#include "core/base/normal_table.h"
#include "core/platform/threads.h"
#include "core/tensor/random_tensors.h"

namespace headscope {

namespace {

TEST(Random, GivesTheSameBitsForEver) {
  // Held fast: sessions and pictures from a seed must come out the same in any later version.
  const RandomStream stream(1, "W_Q");
  EXPECT_EQ(mix64(1), 0x5692161D100B05E5ULL);
  EXPECT_EQ(stream.bits(0), 0x39DE15E02DE2D540ULL);
  EXPECT_EQ(stream.bits(4), 0xEBC54B34FE1754D4ULL);
  EXPECT_EQ(stream.uniform(0), -0.5479100942611694F);
  EXPECT_EQ(stream.normal(0), 0x1.35ebp+0F);
  EXPECT_EQ(stream.normal(1), -0x1.8471e8p-3F);
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

/// Where the standard normal lies beyond z, on one side.
double tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

TEST(Random, NormalIsTheInverseOfItsDistributionOutIntoTheTails) {
  const auto outward = [](std::uint64_t p) { return normalOf((p | 1) << 33); };  // 2^32 p
  double before = 7.0;
  for (double p = 1.0; p < 0x1p31; p = p * 1.0003 + 2.0) {
    const auto odd = static_cast<std::uint64_t>(p) | 1;
    const double z = outward(odd);
    ASSERT_LT(z, before) << odd;
    before = z;
    const double wanted = static_cast<double>(odd) * 0x1p-32;
    ASSERT_NEAR(tail(z) / wanted, 1.0, 1.2e-4) << odd;
    ASSERT_EQ(normalOf(odd << 33 | std::uint64_t{1} << 32), static_cast<float>(-z));
  }
  EXPECT_EQ(outward(0x7FFFFFFF), 0.0F);
  EXPECT_NEAR(outward(1), 6.2302, 1e-4);
  // where the table has knots, the quantiles themselves
  constexpr auto knot = [](int octave) {
    return kNormalTable.knots[static_cast<std::size_t>(octave) << NormalTable::kKnotBits].z *
           static_cast<double>(NormalTable::kUnit);
  };
  EXPECT_NEAR(knot(30), 0.6744897501960817, NormalTable::kUnit);  // 1/4
  EXPECT_NEAR(knot(29), 1.1503493803760079, NormalTable::kUnit);  // 1/8
  EXPECT_NEAR(tail(knot(12)) / 0x1p-20, 1.0, 1e-7);
  EXPECT_NEAR(tail(knot(0)) / 0x1p-32, 1.0, 5e-7);
}

TEST(Random, NormalTableHasTheSameBitsForEver) {
  std::uint64_t hash = 0;
  for (const NormalTable::Knot& knot : kNormalTable.knots) {
    hash = mix64(hash + RandomStream::kGolden) ^ (std::uint64_t{knot.z} << 32 | knot.fall);
  }
  EXPECT_EQ(hash, 0xB39EAD405736BEE1ULL);
}

/// Five standard errors of each estimate from this many independent values.
class FourMillionNormals : public testing::Test {
 protected:
  static constexpr std::size_t kCount = std::size_t{1} << 22;
  static constexpr double kN = kCount;

  FourMillionNormals() : values_(kCount) { RandomStream(7, "x").normals(0, 1.0F, values_); }
  double meanOfPower(int exponent) const {
    double sum = 0.0;
    for (const double z : values_) {
      double power = 1.0;
      for (int i = 0; i < exponent; ++i) power *= z;
      sum += power;
    }
    return sum / kN;
  }
  std::vector<float> values_;
};

TEST_F(FourMillionNormals, HaveTheMomentsOfANormal) {
  EXPECT_NEAR(meanOfPower(1), 0.0, 5.0 * std::sqrt(1.0 / kN));
  EXPECT_NEAR(meanOfPower(2), 1.0, 5.0 * std::sqrt(2.0 / kN));
  EXPECT_NEAR(meanOfPower(3), 0.0, 5.0 * std::sqrt(15.0 / kN));
  EXPECT_NEAR(meanOfPower(4), 3.0, 5.0 * std::sqrt(96.0 / kN));
}

TEST_F(FourMillionNormals, HaveTheTailsOfANormalOnEitherSide) {
  for (const double beyond : {0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 4.5}) {
    const double p = tail(beyond);
    const double error = 5.0 * std::sqrt(kN * p * (1.0 - p));
    const auto above =
        std::count_if(values_.begin(), values_.end(), [&](float z) { return z > beyond; });
    const auto below =
        std::count_if(values_.begin(), values_.end(), [&](float z) { return z < -beyond; });
    EXPECT_NEAR(static_cast<double>(above), kN * p, error) << beyond;
    EXPECT_NEAR(static_cast<double>(below), kN * p, error) << beyond;
  }
}

TEST_F(FourMillionNormals, DoNotFollowTheirNeighbours) {
  for (const std::size_t lag : {1U, 2U, 512U, 768U, 1024U}) {  // rows of matrices too
    double product = 0.0;
    double squares = 0.0;
    for (std::size_t i = lag; i < kCount; ++i) {
      const double a = values_[i - lag];
      const double b = values_[i];
      product += a * b;
      squares += (a * a - 1.0) * (b * b - 1.0);
    }
    EXPECT_NEAR(product / kN, 0.0, 5.0 * std::sqrt(1.0 / kN)) << lag;
    EXPECT_NEAR(squares / kN, 0.0, 5.0 * std::sqrt(4.0 / kN)) << lag;
  }
}

TEST_F(FourMillionNormals, AreSpreadEvenlyOverTheQuantiles) {
  constexpr std::size_t kBins = 64;
  std::array<double, kBins> counts{};
  for (const float z : values_) {
    ++counts[std::min(static_cast<std::size_t>(tail(z) * kBins), kBins - 1)];
  }
  double chiSquared = 0.0;
  for (const double count : counts) {
    chiSquared += (count - kN / kBins) * (count - kN / kBins) / (kN / kBins);
  }
  EXPECT_NEAR(chiSquared, kBins - 1.0, 5.0 * std::sqrt(2.0 * (kBins - 1)));
}

TEST(Random, ManyAtOnceAreThoseDrawnOneByOne) {
  const RandomStream stream(3, "W_V");
  for (const std::size_t count : {1U, 511U, 512U, 513U, 2000U}) {
    std::vector<float> normals(count);
    std::vector<float> uniforms(count);
    stream.normals(77, 0.1F, normals);
    stream.uniforms(77, 0.1F, uniforms);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(normals[i], stream.normal(77 + i) * 0.1F) << i;
      ASSERT_EQ(uniforms[i], stream.uniform(77 + i) * 0.1F) << i;
    }
  }
}

}  // namespace

namespace {

/// Two tensors, enough for three threads, that are no whole number of anybody's pieces.
std::pair<Tensor, Tensor> drawnBy(int threads) {
  const ScopedThreadLimit count(threads);
  std::pair tensors(Tensor::zeros({2047, 2049}), Tensor::zeros({2'300'001}));
  draw(std::array{
      Draw{&tensors.first, RandomStream(3, "W_Q"), Distribution::normal, 0.1F},
      Draw{&tensors.second, RandomStream(3, "W_O"), Distribution::uniform, 2.0F},
  });
  return tensors;
}

bool sameBits(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

TEST(Draw, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto one = drawnBy(1);
  for (const int threads : {2, 3, 7}) {
    const auto many = drawnBy(threads);
    EXPECT_TRUE(sameBits(one.first, many.first)) << threads;
    EXPECT_TRUE(sameBits(one.second, many.second)) << threads;
  }
}

TEST(Draw, PutsEachValueOfItsStreamInItsPlace) {
  const auto [normals, uniforms] = drawnBy(2);
  const RandomStream q(3, "W_Q");
  const RandomStream o(3, "W_O");
  for (Index n = 0; n < normals.size(); ++n) {
    ASSERT_EQ(normals.data()[n], q.normal(static_cast<std::uint64_t>(n)) * 0.1F) << n;
  }
  for (Index n = 0; n < uniforms.size(); ++n) {
    ASSERT_EQ(uniforms.data()[n], o.uniform(static_cast<std::uint64_t>(n)) * 2.0F) << n;
  }
}

TEST(Draw, TakesEmptyTensorsAndNone) {
  draw({});
  Tensor nothing = Tensor::zeros({0, 4});
  draw(std::array{Draw{&nothing, RandomStream(1, "x"), Distribution::normal, 1.0F}});
  EXPECT_EQ(nothing.size(), 0);
}

}  // namespace

}  // namespace headscope
