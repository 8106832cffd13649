#include "core/tensor/shape.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace headscope {
namespace {

TEST(Shape, AxesAreInsertedAndLeftOutInPlace) {
  Shape shape = {2, 6};
  shape.insert(1, 8);
  EXPECT_EQ(shape, (Shape{2, 8, 6}));
  shape.insert(0, 5);
  shape.append(64);
  EXPECT_EQ(shape, (Shape{5, 2, 8, 6, 64}));
  EXPECT_EQ(shape.front(), 5);
  EXPECT_EQ(shape.back(), 64);
  EXPECT_EQ(shape.last(2), (Shape{6, 64}));
  EXPECT_EQ(shape.last(5), shape);
  EXPECT_TRUE(shape.last(0).empty());
}

TEST(Shape, IsEqualOnlyToTheSameLengthsInTheSamePlaces) {
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 1}));
  EXPECT_EQ(Shape(2), (Shape{0, 0}));
}

TEST(Shape, HasAtMostEightAxes) {
  Shape shape(Shape::kMostAxes);
  EXPECT_THROW(shape.append(1), std::length_error);
  EXPECT_THROW(shape.insert(0, 1), std::length_error);
  EXPECT_EQ(shape.size(), Shape::kMostAxes);
  EXPECT_THROW(Shape(9), std::length_error);
  EXPECT_THROW((Shape{1, 2, 3, 4, 5, 6, 7, 8, 9}), std::length_error);
}

}  // namespace
}  // namespace headscope
