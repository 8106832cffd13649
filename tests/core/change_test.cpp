// What of a tensor changed, as boxes, and versions of a tensor that share memory in time.
#include "core/change.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "core/tensor.h"
#include "tests/core/support/passes.h"

namespace headscope::test {
namespace {

Change of(const std::vector<Box>& boxes) {
  Change change;
  for (const Box& box : boxes) change.add(box);
  return change;
}

/// The cells of a change, and that none is in two boxes.
std::set<std::pair<Index, Index>> cellsOf(const Change& change) {
  std::set<std::pair<Index, Index>> cells;
  for (const Box& box : change.boxes()) {
    for (Index r = box.row; r < box.row + box.rows; ++r) {
      for (Index c = box.col; c < box.col + box.cols; ++c) {
        EXPECT_TRUE(cells.insert({r, c}).second) << r << ", " << c << " twice";
      }
    }
  }
  return cells;
}

TEST(Change, IsNoneAllOrInPart) {
  EXPECT_TRUE(Change::none().isNone());
  EXPECT_FALSE(Change::none().inPart());
  EXPECT_TRUE(Change::all().isAll());
  EXPECT_FALSE(Change::all().inPart());
  EXPECT_TRUE(of({{0, 0, 1, 2, 3, 4}}).inPart());
  EXPECT_TRUE(of({{0, 0, 1, 0, 3, 4}}).isNone()) << "a box without cells";
}

TEST(Change, BoxesThatCrossShareNoCell) {
  const Change cross = of({{0, 0, 3, 1, 0, 8}, {0, 0, 0, 6, 5, 1}, {0, 0, 2, 3, 4, 3}});
  std::set<std::pair<Index, Index>> expected;
  for (Index c = 0; c < 8; ++c) expected.insert({3, c});
  for (Index r = 0; r < 6; ++r) expected.insert({r, 5});
  for (Index r = 2; r < 5; ++r) {
    for (Index c = 4; c < 7; ++c) expected.insert({r, c});
  }
  EXPECT_EQ(cellsOf(cross), expected);
  EXPECT_EQ(cross.cells(), static_cast<Index>(expected.size()));
}

TEST(Change, BoxesOfOtherHeadsAreKeptApart) {
  const Change change = of({{0, 0, 0, 2, 0, 2}, {0, 1, 0, 2, 0, 2}, {1, 0, 0, 2, 0, 2}});
  EXPECT_EQ(change.boxes().size(), 3U);
}

TEST(Change, TooManyBoxesAreAll) {
  Change change;
  for (Index n = 0; n <= static_cast<Index>(Change::kMostBoxes); ++n) {
    change.add(Box{n, 0, 0, 1, 0, 1});
  }
  EXPECT_TRUE(change.isAll());
}

TEST(Change, AllSwallowsTheRest) {
  Change change = of({{0, 0, 0, 1, 0, 1}});
  change.add(Change::all());
  EXPECT_TRUE(change.isAll());
  EXPECT_TRUE(change.boxes().empty());
}

TEST(Box, IsCutToRows) {
  const Box box{0, 2, 3, 4, 1, 5};
  EXPECT_EQ(box.within(4, 6), (Box{0, 2, 4, 2, 1, 5}));
  EXPECT_EQ(box.within(0, 3).rows, 0);
  EXPECT_EQ(box.within(7, 9).rows, 0);
}

/// The next version with one more cell written.
Tensor written(const Tensor& tensor, Index row, Index col, float value) {
  Tensor next = tensor.next(of({{0, 0, row, 1, col, 1}}));
  next.mutableMatrix()(row, col) = value;
  return next;
}

TEST(TensorVersions, DifferWhereTheyWereWritten) {
  const Tensor first = randomTensor({4, 6}, 1, "t", 1.0F);
  const Tensor second = written(first, 1, 2, 7.0F);
  const Tensor third = written(second, 3, 5, 8.0F);
  EXPECT_EQ(cellsOf(third.since(second)), (std::set<std::pair<Index, Index>>{{3, 5}}));
  EXPECT_EQ(cellsOf(third.since(first)), (std::set<std::pair<Index, Index>>{{1, 2}, {3, 5}}));
  EXPECT_EQ(cellsOf(first.since(third)), cellsOf(third.since(first)));
  EXPECT_TRUE(first.since(first).isNone());
  EXPECT_TRUE(first.since(randomTensor({4, 6}, 1, "t", 1.0F)).isAll()) << "another tensor";
}

TEST(TensorVersions, OfOneParentDifferByBothWays) {
  const Tensor parent = Tensor::zeros({4, 6});
  const Tensor a = written(parent, 0, 0, 1.0F);
  const Tensor b = written(parent, 2, 2, 2.0F);
  EXPECT_EQ(cellsOf(a.since(b)), (std::set<std::pair<Index, Index>>{{0, 0}, {2, 2}}));
}

TEST(TensorVersions, LeaveTheEarlierOnesAlone) {
  const Tensor first = randomTensor({4, 6}, 1, "t", 1.0F);
  const auto values = first.values();
  const Tensor second = written(first, 1, 2, 7.0F);
  EXPECT_EQ(first.values(), values);
  auto expected = values;
  expected[8] = 7.0F;
  EXPECT_EQ(second.values(), expected);
}

TEST(TensorVersions, TakeTheMemoryThatNobodyHoldsAndMakeUpForWhatChanged) {
  Tensor a = randomTensor({4, 6}, 1, "t", 1.0F);
  auto expected = a.values();
  const float* firstMemory = a.data();
  Tensor b = written(a, 0, 0, 10.0F);
  expected[0] = 10.0F;
  a = Tensor();  // the first version is gone: its memory is free
  for (Index n = 1; n < 20; ++n) {
    Tensor c = written(b, n % 4, n % 6, static_cast<float>(n));
    expected[static_cast<std::size_t>(n % 4 * 6 + n % 6)] = static_cast<float>(n);
    ASSERT_EQ(c.values(), expected) << n;
    if (n == 1) {
      EXPECT_EQ(c.data(), firstMemory);
    }
    b = std::move(c);
  }
}

TEST(TensorVersions, OfAPartOfAStorageAreCopies) {
  const Tensor whole = randomTensor({6, 4}, 1, "t", 1.0F);
  const Tensor part = whole.slice(0, 2, 4);
  const Tensor next = written(part, 0, 0, 5.0F);
  EXPECT_TRUE(next.since(part).isAll());
  auto expected = part.values();
  expected[0] = 5.0F;
  EXPECT_EQ(next.values(), expected);
}

TEST(TensorVersions, KeepTheirStrides) {
  const Tensor heads = randomTensor({1, 3, 2, 4}, 1, "t", 1.0F).transposed(1, 2);
  Tensor next = heads.next(of({{0, 1, 2, 1, 3, 1}}));
  next.mutableMatrixOf(0, 1)(2, 3) = 9.0F;
  EXPECT_EQ(next.strides(), heads.strides());
  EXPECT_EQ(next.at({0, 1, 2, 3}), 9.0F);
  EXPECT_EQ(next.at({0, 0, 2, 3}), heads.at({0, 0, 2, 3}));
}

}  // namespace
}  // namespace headscope::test
