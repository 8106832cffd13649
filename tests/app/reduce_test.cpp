// Matrices made smaller for a picture, beside the plain definition of what each cell shows.
#include "app/ui/parts/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
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

TEST(MeanReduce, IsTheMeanOfWhatACellCovers) {
  for (const Sizes& s : kSizes) {
    const std::vector<float> cells = randomCells(s);
    std::vector<float> found(static_cast<std::size_t>(s.toRows) *
                             static_cast<std::size_t>(s.toCols));
    reduce(sourceOf(cells, s), s.toRows, s.toCols, Reduction::mean, found.data());
    std::vector<double> sums(found.size(), 0.0);
    std::vector<int> counts(found.size(), 0);
    for (Index r = 0; r < s.rows; ++r) {
      for (Index c = 0; c < s.cols; ++c) {
        const auto block =
            static_cast<std::size_t>(r * s.toRows / s.rows * s.toCols + c * s.toCols / s.cols);
        sums[block] += static_cast<double>(cells[static_cast<std::size_t>(r * s.cols + c)]);
        ++counts[block];
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], sums[i] / counts[i], 1e-6)
          << s.rows << " × " << s.cols << " at block " << i;
    }
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
