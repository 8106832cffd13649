// Matrices reduced for a picture, compared with the plain definition of each cell's value.
#include "app/ui/parts/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "app/gl/scene.h"

namespace headscope::ui {
namespace {

struct Sizes {
  Index rows, cols;
  int toRows, toCols;
};

// from few cells to enough for several threads, of sizes that divide and that do not
const Sizes kSizes[] = {{1, 1, 1, 1},   {3, 3, 2, 2},    {7, 5, 7, 5},        {7, 5, 3, 2},
                        {64, 48, 8, 6}, {101, 97, 1, 9}, {700, 900, 123, 77}, {1024, 1024, 96, 96}};

std::vector<float> randomCells(const Sizes& s) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> cells(static_cast<std::size_t>(s.rows * s.cols));
  for (float& cell : cells) cell = normal(random);
  return cells;
}

CellRows sourceOf(const std::vector<float>& cells, const Sizes& s) {
  return {s.rows, s.cols, [&cells, cols = s.cols](Index row, std::span<float> out) {
            std::copy_n(cells.begin() + row * cols, cols, out.begin());
          }};
}

std::vector<float> largest(const std::vector<float>& cells, const Sizes& s) {
  std::vector<float> out(static_cast<std::size_t>(s.toRows) * static_cast<std::size_t>(s.toCols));
  reduce(sourceOf(cells, s), s.toRows, s.toCols, Reduction::largest, out.data());
  return out;
}

TEST(LargestReduce, ShowsTheLargestOfWhatFallsTogether) {
  for (const Sizes& s : kSizes) {
    std::vector<float> cells = randomCells(s);
    for (std::size_t i = 0; i < cells.size(); i += 5) cells[i] = gl::kMaskedCell;
    std::vector<float> expected(
        static_cast<std::size_t>(s.toRows) * static_cast<std::size_t>(s.toCols), gl::kMaskedCell);
    for (Index r = 0; r < s.rows; ++r) {
      for (Index c = 0; c < s.cols; ++c) {
        const float value = cells[static_cast<std::size_t>(r * s.cols + c)];
        if (value <= gl::kMaskedCell) continue;
        float& cell = expected[static_cast<std::size_t>(r * s.toRows / s.rows * s.toCols +
                                                        c * s.toCols / s.cols)];
        if (cell <= gl::kMaskedCell || std::abs(value) > std::abs(cell)) cell = value;
      }
    }
    EXPECT_EQ(largest(cells, s), expected) << s.rows << " × " << s.cols;
  }
}

TEST(LargestReduce, OneThatIsNoNumberIsSeen) {
  const Sizes s{4, 6, 2, 2};
  for (std::size_t at = 0; at < 24; ++at) {
    std::vector<float> cells(24, 1e30F);
    cells[at] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> shown = largest(cells, s);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      EXPECT_EQ(std::isnan(shown[i]), i == at / 12 * 2 + at % 6 / 3) << at << ", " << i;
    }
  }
}

/// Sums in double over the cells of each block that are not masked, and their counts.
struct Sums {
  explicit Sums(const Sizes& s)
      : sum(static_cast<std::size_t>(s.toRows) * static_cast<std::size_t>(s.toCols)),
        count(sum.size()) {}
  std::vector<double> sum;
  std::vector<int> count;
};

Sums sumsOf(const std::vector<float>& cells, const Sizes& s) {
  Sums sums(s);
  for (Index r = 0; r < s.rows; ++r) {
    for (Index c = 0; c < s.cols; ++c) {
      const float value = cells[static_cast<std::size_t>(r * s.cols + c)];
      if (value <= gl::kMaskedCell) continue;
      const auto block =
          static_cast<std::size_t>(r * s.toRows / s.rows * s.toCols + c * s.toCols / s.cols);
      sums.sum[block] += static_cast<double>(value);
      ++sums.count[block];
    }
  }
  return sums;
}

TEST(MeanReduce, IsTheMeanOfTheCellsThatAreNotMasked) {
  for (const Sizes& s : kSizes) {
    std::vector<float> cells = randomCells(s);
    for (std::size_t i = 0; i < cells.size(); i += 5) cells[i] = gl::kMaskedCell;
    const Sums sums = sumsOf(cells, s);
    std::vector<float> found(sums.sum.size());
    reduce(sourceOf(cells, s), s.toRows, s.toCols, Reduction::mean, found.data());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double expected =
          sums.count[i] == 0 ? static_cast<double>(gl::kMaskedCell) : sums.sum[i] / sums.count[i];
      EXPECT_NEAR(found[i], expected, 1e-6 * std::max(1.0, std::abs(expected)))
          << s.rows << " × " << s.cols << " at " << i;
    }
  }
}

TEST(ShareReduce, SumsColumnsAndAveragesRows) {
  for (const Sizes& s : kSizes) {
    const std::vector<float> cells = randomCells(s);
    const Sums sums = sumsOf(cells, s);
    std::vector<float> found(sums.sum.size());
    ASSERT_TRUE(reduce(sourceOf(cells, s), Blocks::even(s.rows, s.toRows),
                       Blocks::even(s.cols, s.toCols), Reduction::share, found.data()));
    for (int r = 0; r < s.toRows; ++r) {
      Index rows = 0;
      for (Index i = 0; i < s.rows; ++i) rows += i * s.toRows / s.rows == r ? 1 : 0;
      for (int c = 0; c < s.toCols; ++c) {
        const auto at = static_cast<std::size_t>(r * s.toCols + c);
        EXPECT_NEAR(found[at], sums.sum[at] / static_cast<double>(rows), 1e-5)
            << s.rows << " × " << s.cols << " at " << r << ", " << c;
      }
    }
  }
}

TEST(Blocks, CoverEveryCellOnce) {
  const Blocks stepped = Blocks::stepped(3, 10, 4);
  ASSERT_EQ(stepped.count(), 3);
  EXPECT_EQ(stepped.begin(0), 3);
  EXPECT_EQ(stepped.end(0), 7);
  EXPECT_EQ(stepped.begin(2), 11);
  EXPECT_EQ(stepped.end(2), 13);
  const Blocks even = Blocks::even(10, 4);
  ASSERT_EQ(even.count(), 4);
  for (Index i = 0; i < 10; ++i) {
    const Index block = i * 4 / 10;
    EXPECT_LE(even.begin(block), i);
    EXPECT_GT(even.end(block), i);
  }
}

TEST(Reduced, GivesTheSameRowByRow) {
  for (const Sizes& s : kSizes) {
    const std::vector<float> cells = randomCells(s);
    const CellRows small = reduced(sourceOf(cells, s), s.toRows, s.toCols);
    ASSERT_EQ(small.rows, s.toRows);
    std::vector<float> rows(static_cast<std::size_t>(small.rows * small.cols));
    for (Index row = 0; row < small.rows; ++row) {
      small.read(row, std::span(rows).subspan(static_cast<std::size_t>(row * small.cols),
                                              static_cast<std::size_t>(small.cols)));
    }
    EXPECT_EQ(rows, largest(cells, s));
  }
}

TEST(LargestFinite, IsOverFiniteCellsThatAreNotMasked) {
  for (const Sizes& s : kSizes) {
    std::vector<float> cells = randomCells(s);
    const std::size_t last = cells.size() - 1;
    cells[last] = -250.0F;
    EXPECT_EQ(largestFinite(sourceOf(cells, s)), 250.0F);
    for (const float none :
         {gl::kMaskedCell, -std::numeric_limits<float>::infinity(),
          std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      cells[last] = none;
      EXPECT_LT(largestFinite(sourceOf(cells, s)), 10.0F) << none;
    }
  }
  const Sizes one{1, 1, 1, 1};
  EXPECT_EQ(largestFinite(sourceOf({gl::kMaskedCell}, one)), 0.0F);
}

}  // namespace
}  // namespace headscope::ui
