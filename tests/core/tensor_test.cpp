#include "core/tensor/tensor.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace headscope::test {
namespace {

/// 0, 1, 2, … in row-major order.
Tensor counted(Shape shape) {
  std::vector<float> values(static_cast<std::size_t>(elementCount(shape)));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::fromValues(std::move(shape), values);
}

TEST(Tensor, ShapesAreCountedAndPrintedAsPyTorchDoes) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({2, 0, 3}), 0);
  EXPECT_EQ(elementCount({2, 3, 4}), 24);
  EXPECT_EQ(toString(Shape{}), "()");
  EXPECT_EQ(toString(Shape{6}), "(6,)");
  EXPECT_EQ(toString(Shape{6, 512}), "(6, 512)");
  constexpr Index kMax = std::numeric_limits<Index>::max();
  EXPECT_EQ(elementCount({kMax, 1}), kMax);
  EXPECT_THROW(elementCount({kMax, 2}), std::overflow_error);
  EXPECT_THROW(elementCount({-1}), std::overflow_error);
  EXPECT_THROW(Tensor::uninitialised({kMax}), std::bad_alloc);
  EXPECT_THROW(Tensor::fromValues({2}, std::vector<float>{1.0F}), std::invalid_argument);
}

TEST(Tensor, IsRowMajorAndAligned) {
  const Tensor t = counted({2, 3, 4});
  EXPECT_EQ(t.at({1, 2, 3}), 23.0F);
  EXPECT_EQ(t.at({1, 0, 2}), 14.0F);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.data()) % 64, 0U);
  EXPECT_TRUE(t.contiguous());
  EXPECT_EQ(t.matrix({1})(2, 3), 23.0F);
  EXPECT_EQ(t.matrix({1}).transposed()(3, 2), 23.0F);
  EXPECT_TRUE(Tensor().empty());
  EXPECT_FALSE(Tensor::zeros({0, 3}).empty());
  EXPECT_EQ(Tensor::zeros({0, 3}).values().size(), 0U);
}

/// Any axis is cut, not only the last.
TEST(Tensor, TwoPlacesOfOneMappedFileAreNotTheSame) {
  const auto file = std::make_shared<const std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  const Tensor first = Tensor::over(file, file->data(), {2});
  const Tensor second = Tensor::over(file, file->data() + 2, {2});
  EXPECT_FALSE(first.sameAs(second));
  EXPECT_TRUE(first.sameAs(Tensor::over(file, file->data(), {2})));
}

TEST(Tensor, SplitCutsAnAxisInTwo) {
  const Tensor t = counted({4, 6});
  const Tensor columns = t.split(1, 3);
  EXPECT_EQ(columns.shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(columns.at({3, 2, 1}), t.at({3, 5}));
  const Tensor rows = t.split(0, 2);
  EXPECT_EQ(rows.shape(), (Shape{2, 2, 6}));
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(rows.at({i / 2, i % 2, 5}), t.at({i, 5}));
  EXPECT_TRUE(rows.sharesStorageWith(t));
}

TEST(Tensor, TransposedSwapsAxes) {
  const Tensor t = counted({2, 3, 4});
  const Tensor turned = t.transposed(0, 2);
  EXPECT_EQ(turned.shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(turned.at({3, 1, 0}), t.at({0, 1, 3}));
  EXPECT_FALSE(turned.contiguous());
  EXPECT_TRUE(turned.sharesStorageWith(t));
  EXPECT_FALSE(turned.sameAs(t));
  EXPECT_TRUE(turned.transposed(2, 0).sameAs(t));
}

TEST(Tensor, SliceKeepsPartOfAnAxis) {
  const Tensor t = counted({4, 6});
  const Tensor part = t.slice(0, 1, 3).slice(1, 2, 5);
  EXPECT_EQ(part.values(), (std::vector<float>{8, 9, 10, 14, 15, 16}));
  EXPECT_FALSE(part.contiguous());
  EXPECT_TRUE(t.slice(0, 2, 4).contiguous());
  EXPECT_EQ(t.slice(0, 2, 2).size(), 0);
  EXPECT_TRUE(t.slice(1, 2, 2).values().empty());
}

TEST(Tensor, ValuesOfAViewAreInItsOrder) {
  EXPECT_EQ(counted({2, 2, 3}).transposed(0, 2).values(),
            (std::vector<float>{0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11}));
}

TEST(Tensor, ReshapedAndClonedKeepTheOrder) {
  const Tensor t = counted({2, 6});
  EXPECT_EQ(t.reshaped({3, 4}).at({2, 1}), 9.0F);
  const Tensor turned = t.transposed(0, 1);
  const Tensor copy = turned.clone();
  EXPECT_TRUE(copy.contiguous());
  EXPECT_FALSE(copy.sharesStorageWith(t));
  EXPECT_EQ(copy.values(), turned.values());
  EXPECT_EQ(copy.data()[1], t.at({1, 0}));
  EXPECT_TRUE(Tensor().clone().empty());
}

}  // namespace
}  // namespace headscope::test
