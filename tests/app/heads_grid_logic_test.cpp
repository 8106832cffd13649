// The grid of all heads, without drawing: its order, its layout, the tokens it shows, and blocks of
// cells against a naive loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/heads/all_heads.h"
#include "app/ui/heads/view_model/choice.h"
#include "app/ui/parts/head_grid.h"
#include "app/ui/parts/reduce.h"

namespace headscope::ui {
namespace {

TEST(HeadOrder, SortsByAMetricWithTheUndefinedLast) {
  std::vector<HeadMetrics> metrics(5);
  const std::vector<std::optional<double>> values{0.2, std::nullopt, 0.9, 0.2, 0.5};
  for (std::size_t h = 0; h < values.size(); ++h) {
    metrics[h][Metric::entropy] =
        values[h] ? MetricValue{values[h], {}} : MetricValue::undefined("no");
  }
  EXPECT_EQ(headOrder(metrics, "entropy", 5), (std::vector<Index>{2, 4, 0, 3, 1}));
  EXPECT_EQ(headOrder(metrics, "", 5), (std::vector<Index>{0, 1, 2, 3, 4}));
  EXPECT_EQ(headOrder({}, "entropy", 3), (std::vector<Index>{0, 1, 2}));  // not measured yet
}

TEST(TokenZoom, StaysWithinTheTokens) {
  TokenRange range;
  for (int i = 0; i < 50; ++i) range = zoomed(range, 1000, 0.8, 1.0);
  EXPECT_EQ(range, (TokenRange{1000 - kFewestShown, kFewestShown}));
  range = moved(range, 1000, 5);
  EXPECT_EQ(range.first, 1000 - kFewestShown);
  range = moved(range, 1000, -5000);
  EXPECT_EQ(range, (TokenRange{0, kFewestShown}));
  for (int i = 0; i < 50; ++i) range = zoomed(range, 1000, 1.25, 0.0);
  EXPECT_EQ(range, TokenRange{});
  EXPECT_EQ(shownOf({900, 300}, 1000), (TokenRange{700, 300}));
  EXPECT_EQ(shownOf({900, 300}, 200), (TokenRange{0, 200}));  // another, shorter input
  EXPECT_EQ(zoomed({}, 3, 0.5), TokenRange{});                // too few tokens for a range
}

TEST(TokenZoom, BlocksHoldWhatIsShownAtNoMoreThanAPixelEach) {
  for (const Index n : {6, 300, 600, 4096}) {
    for (const Index count : {Index{5}, n / 3 + 1, n}) {
      for (const Index first : {Index{0}, (n - count) / 2, n - count}) {
        const AxisBlocks blocks = blocksFor({first, count}, n, 100.0F);
        EXPECT_LE(blocks.first, first);
        EXPECT_GE(blocks.first + blocks.count, first + count);
        EXPECT_LE(blocks.first + blocks.count, n);
        EXPECT_EQ(blocks.first % blocks.step, 0);
        EXPECT_LE((count + blocks.step - 1) / blocks.step, 100);
      }
    }
  }
  // panning a little asks for nothing new
  EXPECT_EQ(blocksFor({2000, 100}, 4096, 100.0F), blocksFor({2010, 100}, 4096, 100.0F));
}

/// Reduces block by block and cell by cell.
std::vector<float> naivelyReduced(const AxisBlocks& rows, const AxisBlocks& cols, Reduction how,
                                  const std::function<float(Index, Index)>& cell) {
  std::vector<float> result;
  const Index endRow = rows.first + rows.count;
  const Index endCol = cols.first + cols.count;
  for (Index r = rows.first; r < endRow; r += rows.step) {
    for (Index c = cols.first; c < endCol; c += cols.step) {
      double sum = 0.0;
      float largest = 0.0F;
      Index count = 0;
      const Index lastRow = std::min(r + rows.step, endRow);
      for (Index i = r; i < lastRow; ++i) {
        for (Index j = c; j < std::min(c + cols.step, endCol); ++j) {
          const float value = cell(i, j);
          if (value <= gl::kMaskedCell) continue;
          sum += static_cast<double>(value);
          ++count;
          if (std::abs(value) > std::abs(largest)) largest = value;
        }
      }
      if (how == Reduction::share) {
        result.push_back(static_cast<float>(sum / static_cast<double>(lastRow - r)));
      } else if (count == 0) {
        result.push_back(gl::kMaskedCell);
      } else {
        result.push_back(how == Reduction::largest
                             ? largest
                             : static_cast<float>(sum / static_cast<double>(count)));
      }
    }
  }
  return result;
}

TEST(HeadBlocks, CountEveryCellThatIsNotMasked) {
  const auto cell = [](Index i, Index j) {
    if (j > i + 2) return gl::kMaskedCell;                      // masked beyond
    return static_cast<float>((i * 7 + j * 13) % 29) - 14.25F;  // no two of one magnitude
  };
  struct Part {
    AxisBlocks rows, cols;
  };
  for (const auto& [rows, cols] : {Part{{0, 20, 1}, {0, 20, 1}}, Part{{0, 20, 3}, {0, 20, 4}},
                                   Part{{5, 13, 4}, {2, 17, 5}}, Part{{0, 7, 7}, {0, 40, 40}}}) {
    const CellRows part{
        rows.count, cols.count,
        [&, first = rows.first, col0 = cols.first](Index row, std::span<float> cells) {
          for (std::size_t i = 0; i < cells.size(); ++i) {
            cells[i] = cell(first + row, col0 + static_cast<Index>(i));
          }
        }};
    const Blocks down = Blocks::stepped(0, rows.count, rows.step);
    const Blocks across = Blocks::stepped(0, cols.count, cols.step);
    EXPECT_EQ(down.count(), rows.blocks());
    EXPECT_EQ(across.count(), cols.blocks());
    std::vector<float> result(static_cast<std::size_t>(rows.blocks() * cols.blocks()));
    for (const Reduction how : {Reduction::mean, Reduction::largest, Reduction::share}) {
      ASSERT_TRUE(reduce(part, down, across, how, result.data()));
      const auto expected = naivelyReduced(rows, cols, how, cell);
      ASSERT_EQ(result.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_FLOAT_EQ(result[i], expected[i]) << i;
      }
    }
    const std::atomic<bool> cancelled{true};
    EXPECT_FALSE(reduce(part, down, across, Reduction::mean, result.data(), &cancelled));
  }
}

TEST(TileGridLayout, MakesTilesAsLargeAsTheRoomAllows) {
  TileSpace space;
  space.room = {800.0F, 400.0F};
  space.title = 20.0F;
  for (Index count = 1; count <= 128; ++count) {
    space.count = count;
    const TileGrid grid = layoutTiles(space);
    EXPECT_GE(grid.columns * grid.rows, count);
    EXPECT_LE(grid.place.x * static_cast<float>(grid.columns), 800.01F);
    EXPECT_LE(grid.place.y * static_cast<float>(grid.rows), 400.01F);
    EXPECT_LE(grid.size.x, grid.place.x);
    EXPECT_LE(grid.size.y + grid.title, grid.place.y);
  }
  space.count = 8;
  const TileGrid eight = layoutTiles(space);
  EXPECT_EQ(eight.columns, 4);
  EXPECT_EQ(eight.rows, 2);
}

/// The room of the card of all heads in a window of 1600 × 1000.
TileSpace labelledSpace(Index count) {
  TileSpace space;
  space.count = count;
  space.room = {950.0F, 480.0F};
  space.title = 37.0F;
  space.left = 45.0F;
  space.below = 32.0F;
  space.belowFlat = 15.0F;
  space.labelledFrom = 56.0F;
  space.edgesBelow = 120.0F;
  return space;
}

TEST(TileGridLayout, ColumnsAreThoseThatLeaveRoomForLabels) {
  const TileGrid eight = layoutTiles(labelledSpace(8));
  EXPECT_EQ(eight.labels, TileLabels::each);
  EXPECT_EQ(eight.columns, 4);
  // labels of their own would leave 12 heads 107 points
  const TileGrid twelve = layoutTiles(labelledSpace(12));
  EXPECT_EQ(twelve.labels, TileLabels::edges);
  EXPECT_GT(twelve.size.x, 130.0F);
  EXPECT_EQ(layoutTiles(labelledSpace(32)).labels, TileLabels::edges);
  EXPECT_EQ(layoutTiles(labelledSpace(128)).labels, TileLabels::none);
}

/// A wide, low presented card: pictures in one row would be only slightly larger.
TEST(TileGridLayout, TwoRowsStandWhereOneHasHardlyLargerPictures) {
  TileSpace space;
  space.count = 8;
  space.room = {1000.0F, 410.0F};
  space.title = 52.0F;
  space.gap = 12.0F;
  space.below = space.belowFlat = 30.0F;
  const TileGrid grid = layoutTiles(space);
  EXPECT_EQ(grid.columns, 4);
  EXPECT_EQ(grid.rows, 2);
}

TEST(TileGridLayout, WithLabelsEverythingStaysInTheRoom) {
  for (Index count = 1; count <= 128; ++count) {
    TileSpace space = labelledSpace(count);
    space.right = count % 2 == 0 ? 45.0F : 0.0F;
    space.stretch = count % 3 == 0 ? 2.0F : 1.0F;
    const TileGrid grid = layoutTiles(space);
    for (Index tile = 0; tile < count; ++tile) {
      const ImVec2 a = grid.picture({0, 0}, tile);
      const float left = grid.labelsLeft(tile) ? space.left : 0.0F;
      const float right = grid.labelsRight(tile, count) ? space.right : 0.0F;
      const float below = grid.labelsBelow(tile, count) ? grid.below : 0.0F;
      EXPECT_GE(a.x - left, -0.01F) << count;
      EXPECT_GE(a.y - grid.title, -0.01F) << count;
      EXPECT_LE(a.x + grid.size.x + right, 950.01F) << count;
      EXPECT_LE(a.y + grid.size.y + below, 480.01F) << count;
    }
  }
}

TEST(TileGridLayout, OfMoreTilesThanHaveRoomTheFirstStands) {
  const TileGrid grid = layoutTiles(labelledSpace(5040));
  EXPECT_GT(grid.size.x, 0.0F);
  EXPECT_GT(grid.size.y, 0.0F);
  EXPECT_GE(grid.place.y, 480.0F);
}

TEST(TileGridLayout, LabelsAtTheEdgesStandOncePerRowAndColumn) {
  TileGrid grid;
  grid.columns = 4;
  grid.rows = 3;
  grid.labels = TileLabels::edges;
  std::vector<Index> left, right, below;
  for (Index tile = 0; tile < 10; ++tile) {
    if (grid.labelsLeft(tile)) left.push_back(tile);
    if (grid.labelsRight(tile, 10)) right.push_back(tile);
    if (grid.labelsBelow(tile, 10)) below.push_back(tile);
  }
  EXPECT_EQ(left, (std::vector<Index>{0, 4, 8}));
  EXPECT_EQ(right, (std::vector<Index>{3, 7, 9}));
  EXPECT_EQ(below, (std::vector<Index>{6, 7, 8, 9}));
}

TEST(TileGridLayout, PicturesThatMayStretchFillTheirPlaces) {
  TileSpace space;
  space.count = 8;
  space.room = {800.0F, 600.0F};
  space.stretch = 2.0F;
  const TileGrid grid = layoutTiles(space);
  EXPECT_FLOAT_EQ(grid.size.x, grid.place.x - 12.0F);
  EXPECT_FLOAT_EQ(grid.size.y, grid.place.y - 12.0F);
}

}  // namespace
}  // namespace headscope::ui
