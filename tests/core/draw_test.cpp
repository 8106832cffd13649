#include "core/weights/draw.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/platform/threads.h"

namespace headscope {
namespace {

/// Two tensors, enough for three threads, that are no whole number of anybody's pieces.
std::pair<Tensor, Tensor> drawnBy(int threads) {
  const ThreadCount count(threads);
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
