#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/editing/document_delta.h"
#include "tests/core/support/cases.h"

namespace headscope::test {
namespace {

std::vector<std::uint32_t> bits(const Tensor& tensor) {
  std::vector<std::uint32_t> out;
  for (const float value : tensor.values()) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

Tensor withCells(const Tensor& tensor, const std::vector<Index>& cells, float value) {
  Tensor copy = tensor.clone();
  for (const Index cell : cells) copy.mutableData()[cell] = value;
  return copy;
}

TEST(TensorPatch, GoesThereAndBackBitForBit) {
  const Tensor from = randomTensor({50, 70}, 1, "x", 1.0F);
  Tensor to = withCells(from, {0, 1, 1023, 1024, 2047, 3499}, 0.5F);
  to.mutableData()[7] = std::numeric_limits<float>::quiet_NaN();
  auto patch = TensorPatch::between(from, to);
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->bytes(), 7 * 8);
  Tensor walked = from.clone();
  patch->exchange(walked);
  EXPECT_EQ(bits(walked), bits(to));
  patch->exchange(walked);
  EXPECT_EQ(bits(walked), bits(from));
}

TEST(TensorPatch, SignsOfZeroDiffer) {
  const Tensor from = Tensor::zeros({4, 8});
  auto patch = TensorPatch::between(from, withCells(from, {3}, -0.0F));
  ASSERT_TRUE(patch);
  EXPECT_FALSE(patch->empty());
  EXPECT_TRUE(TensorPatch::between(from, from.clone())->empty());
}

TEST(TensorPatch, OnlyWhereItSaves) {
  const Tensor from = Tensor::zeros({8, 8});
  std::vector<Index> cells{1, 9, 17, 25, 33, 41, 49, 57};
  EXPECT_TRUE(TensorPatch::between(from, withCells(from, cells, 1.0F)));
  cells.push_back(63);
  EXPECT_FALSE(TensorPatch::between(from, withCells(from, cells, 1.0F)));
  EXPECT_FALSE(TensorPatch::between(from, Tensor::zeros({4, 16})));
  EXPECT_FALSE(TensorPatch::between(from, from.transposed(0, 1)));
  EXPECT_FALSE(TensorPatch::between(Tensor(), from));
  EXPECT_FALSE(TensorPatch::between(from, Tensor()));
}

}  // namespace
}  // namespace headscope::test
