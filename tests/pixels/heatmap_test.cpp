// Heatmaps: the colours on the screen are the colour map's, and textures are filled only when
// needed.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "tests/pixels/pixel_test.h"

namespace headscope {
namespace {

class HeatmapPixels : public PixelTest {
 protected:
  static gl::HeatmapSource source(int rows, int cols, std::vector<float> values,
                                  std::uint64_t key = 1, std::uint64_t revision = 1) {
    return {key, revision, rows, cols,
            [values = std::move(values)](float* out) { std::ranges::copy(values, out); }};
  }

  static gl::HeatmapBatch batch(gl::HeatmapSource source, gl::Bounds rect) {
    gl::HeatmapBatch batch;
    batch.sources.push_back(std::move(source));
    gl::HeatmapQuad quad;
    quad.rect = rect;
    batch.quads.push_back(quad);
    return batch;
  }

  static std::vector<float> ramp(int count, float low, float high) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i) {
      values.push_back(std::lerp(low, high, static_cast<float>(i) / static_cast<float>(count - 1)));
    }
    return values;
  }
};

TEST_F(HeatmapPixels, CellCentresHaveTheColourMapsColour) {
  constexpr int kRows = 4;
  constexpr int kCols = 6;
  constexpr int kCell = 20;
  const auto values = ramp(kRows * kCols, -3.0F, 3.0F);
  for (int map = 0; map < maps_.count(); ++map) {
    auto heatmap = batch(source(kRows, kCols, values), {10, 20, 10 + kCols * kCell, 20 + 80});
    heatmap.quads[0].low = -3.0F;
    heatmap.quads[0].high = 3.0F;
    heatmap.quads[0].colorMap = map;
    const auto image = draw(heatmap);
    for (int row = 0; row < kRows; ++row) {
      for (int col = 0; col < kCols; ++col) {
        const float value = values[static_cast<std::size_t>(row * kCols + col)];
        const ImU32 expected = maps_[map].at((value + 3.0F) / 6.0F);
        const ImU32 found = color(image, 10 + kCell * col + 10, 20 + kCell * row + 10);
        EXPECT_LE(difference(found, expected), 1) << "map " << map << " cell " << row << "," << col;
      }
    }
    EXPECT_EQ(color(image, 9, 30), kBackground);
    EXPECT_EQ(color(image, 10 + kCols * kCell, 30), kBackground);
    EXPECT_EQ(color(image, 30, 19), kBackground);
    EXPECT_EQ(color(image, 30, 100), kBackground);
  }
}

TEST_F(HeatmapPixels, ValuesBeyondTheRangeTakeItsEnds) {
  const auto image = draw(batch(source(1, 2, {-7.0F, 9.0F}), {0, 0, 40, 20}));
  EXPECT_LE(difference(color(image, 10, 10), maps_[0].at(0.0F)), 1);
  EXPECT_LE(difference(color(image, 30, 10), maps_[0].at(1.0F)), 1);
}

TEST_F(HeatmapPixels, MaskedCellsAreHatched) {
  scene_.hatch = {0.2F, 0.4F, 0.6F, 1};
  scene_.maskedFill = {0.9F, 0.8F, 0.7F, 1};
  const auto image = draw(batch(source(1, 2, {gl::kMaskedCell, 0.5F}), {0, 0, 80, 40}));
  int lines = 0;
  int fill = 0;
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x) {
      lines += difference(color(image, x, y), packed(scene_.hatch)) <= 8 ? 1 : 0;
      fill += difference(color(image, x, y), packed(scene_.maskedFill)) <= 1 ? 1 : 0;
    }
  }
  EXPECT_GT(lines, 100);
  EXPECT_GT(fill, 500);
  EXPECT_EQ(color(image, 13, 10), color(image, 10, 13)) << "lines run diagonally";
  EXPECT_LE(difference(color(image, 60, 20), maps_[0].at(0.5F)), 1);
}

TEST_F(HeatmapPixels, GapsLieBetweenCellsThatAreLargeEnough) {
  scene_.gapColor = {0, 1, 0, 1};
  auto heatmap = batch(source(1, 2, {0.0F, 1.0F}), {0, 0, 40, 20});
  heatmap.quads[0].gap = 2;
  auto image = draw(heatmap);
  EXPECT_EQ(color(image, 19, 10), packed(scene_.gapColor));
  EXPECT_EQ(color(image, 20, 10), packed(scene_.gapColor));
  EXPECT_LE(difference(color(image, 17, 10), maps_[0].at(0.0F)), 1);
  EXPECT_LE(difference(color(image, 0, 0), maps_[0].at(0.0F)), 1) << "none along outer edges";

  heatmap.quads[0].rect = {0, 0, 14, 7};  // cells of 7 points: less than 4 gaps
  image = draw(heatmap);
  EXPECT_LE(difference(color(image, 6, 3), maps_[0].at(0.0F)), 1);
  EXPECT_LE(difference(color(image, 7, 3), maps_[0].at(1.0F)), 1);
}

TEST_F(HeatmapPixels, LitRowAndColumnKeepTheirColours) {
  scene_.gapColor = {1, 1, 1, 1};
  auto heatmap = batch(source(2, 2, {1, 1, 1, 1}), {0, 0, 40, 40});
  heatmap.quads[0].highlightRow = 0;
  heatmap.quads[0].highlightCol = 1;
  const auto image = draw(heatmap);
  const ImU32 full = maps_[0].at(1.0F);
  EXPECT_LE(difference(color(image, 10, 10), full), 1);
  EXPECT_LE(difference(color(image, 30, 10), full), 1);
  EXPECT_LE(difference(color(image, 30, 30), full), 1);
  EXPECT_GT(difference(color(image, 10, 30), full), 40);
}

TEST_F(HeatmapPixels, ShowsAPartAndBlendsByOpacity) {
  auto heatmap = batch(source(3, 3, ramp(9, 0.0F, 1.0F)), {0, 0, 40, 40});
  auto& quad = heatmap.quads[0];
  quad.row0 = 1;
  quad.row1 = 3;
  quad.col0 = 1;
  quad.col1 = 3;
  auto image = draw(heatmap);
  EXPECT_LE(difference(color(image, 10, 10), maps_[0].at(4.0F / 8)), 1);
  EXPECT_LE(difference(color(image, 30, 30), maps_[0].at(1.0F)), 1);

  quad.opacity = 0.0F;
  image = draw(heatmap);
  EXPECT_EQ(color(image, 10, 10), kBackground);
}

TEST_F(HeatmapPixels, SmallCellsShowTheMeanOfWhatAPixelCovers) {
  std::vector<float> values(64 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (i / 64 + i) % 2 == 0 ? 0.0F : 1.0F;
  const auto image = draw(batch(source(64, 64, values), {0, 0, 16, 16}));
  for (int i = 0; i < 16; ++i) {
    EXPECT_LE(difference(color(image, i, 15 - i), maps_[0].at(0.5F)), 2);
  }
}

TEST_F(HeatmapPixels, ClipRectangleAndPixelsPerPointHold) {
  scene_.pixelsPerPoint = 2.0F;
  scene_.displayWidth = kWidth / 2.0F;
  scene_.displayHeight = kHeight / 2.0F;
  const auto image = draw(batch(source(1, 1, {1.0F}), {0, 0, 40, 40}), gl::Bounds{10, 10, 30, 20});
  EXPECT_LE(difference(color(image, 20, 20), maps_[0].at(1.0F)), 1);
  EXPECT_LE(difference(color(image, 59, 39), maps_[0].at(1.0F)), 1);
  EXPECT_EQ(color(image, 19, 20), kBackground);
  EXPECT_EQ(color(image, 60, 39), kBackground);
  EXPECT_EQ(color(image, 20, 40), kBackground);
}

TEST_F(HeatmapPixels, UploadsOnlyWhenTheRevisionChanges) {
  int filled = 0;
  const auto counted = [&](std::uint64_t revision) {
    gl::HeatmapSource result{7, revision, 2, 2, [&](float* out) {
                               std::fill(out, out + 4, 0.5F);
                               ++filled;
                             }};
    return batch(std::move(result), {0, 0, 20, 20});
  };
  for (int frame = 0; frame < 5; ++frame) draw(counted(1));
  EXPECT_EQ(filled, 1);
  EXPECT_EQ(renderer_->stats().uploads, 1U);
  EXPECT_EQ(renderer_->stats().bytesUploaded, 4 * sizeof(float));
  draw(counted(2));
  EXPECT_EQ(filled, 2);
}

TEST_F(HeatmapPixels, WhatAFrameHasNoTimeForComesInLaterOnes) {
  constexpr int kSources = 3;
  renderer_.emplace(maps_.bytes(), gl::shaderSource(), 0.0);  // time for one source
  const auto draw3 = [&](std::uint64_t revision, float value) {
    gl::HeatmapBatch all;
    for (int i = 0; i < kSources; ++i) {
      const auto x = static_cast<float>(40 * i);
      const auto key = static_cast<std::uint64_t>(i);
      gl::HeatmapBatch one = batch(source(1, 1, {value}, key, revision), {x, 0, x + 40, 20});
      one.quads[0].source = all.sources.size();
      all.sources.push_back(one.sources[0]);
      all.quads.push_back(one.quads[0]);
    }
    return draw(all);
  };
  /// The number of sources that show a value, and the number that are blank.
  const auto shown = [&](const host::Image& image, float value) {
    int with = 0, blank = 0;
    for (int i = 0; i < kSources; ++i) {
      const ImU32 found = color(image, 40 * i + 20, 10);
      with += difference(found, maps_[0].at(value)) <= 1 ? 1 : 0;
      blank += found == kBackground ? 1 : 0;
    }
    return std::pair{with, blank};
  };
  for (int frame = 1; frame <= kSources; ++frame) {
    EXPECT_EQ(shown(draw3(1, 0.25F), 0.25F), std::pair(frame, kSources - frame));
    EXPECT_EQ(renderer_->stats().putOff, kSources - frame);
  }
  for (int frame = 1; frame <= kSources; ++frame) {
    const host::Image image = draw3(2, 0.75F);
    EXPECT_EQ(shown(image, 0.75F), std::pair(frame, 0));
    EXPECT_EQ(shown(image, 0.25F), std::pair(kSources - frame, 0)) << "what it did before";
  }
  std::uint64_t revision = 2;
  std::set<int> filled;
  for (int frame = 0; frame < kSources; ++frame) {  // values that change all the time
    const float value = 0.1F * static_cast<float>(++revision);
    const host::Image image = draw3(revision, value);
    for (int i = 0; i < kSources; ++i) {
      if (difference(color(image, 40 * i + 20, 10), maps_[0].at(value)) <= 1) filled.insert(i);
    }
  }
  EXPECT_EQ(filled.size(), static_cast<std::size_t>(kSources)) << "each in its turn";
}

TEST_F(HeatmapPixels, UploadsOnlyTheCellsThatHaveChanged) {
  constexpr int kRows = 6;
  constexpr int kCols = 8;
  auto values = ramp(kRows * kCols, 0.0F, 1.0F);
  const auto cell = [&](int row, int col) -> float& {
    return values[static_cast<std::size_t>(row * kCols + col)];
  };
  std::uint64_t revision = 0;
  const auto bytes = [&] {  // bytes of one more frame, whose pixels are checked
    const auto before = renderer_->stats().bytesUploaded;
    const auto image = draw(batch(source(kRows, kCols, values, 1, ++revision), {0, 0, 160, 120}));
    for (int row = 0; row < kRows; ++row) {
      for (int col = 0; col < kCols; ++col) {
        EXPECT_LE(
            difference(color(image, 20 * col + 10, 20 * row + 10), maps_[0].at(cell(row, col))), 1)
            << row << "," << col;
      }
    }
    return renderer_->stats().bytesUploaded - before;
  };
  EXPECT_EQ(bytes(), kRows * kCols * sizeof(float));
  EXPECT_EQ(bytes(), 0U) << "another revision of the same values";
  cell(3, 5) = 0.0F;
  EXPECT_EQ(bytes(), sizeof(float));
  for (int row = 0; row < kRows; ++row) cell(row, 7) = 0.5F;
  EXPECT_EQ(bytes(), kRows * sizeof(float));
  for (int col = 0; col < kCols; ++col) cell(2, col) = 0.25F;
  EXPECT_EQ(bytes(), kCols * sizeof(float));
  cell(0, 1) = 1.0F;
  cell(4, 3) = 1.0F;
  EXPECT_EQ(bytes(), 5 * 3 * sizeof(float)) << "the rectangle around both";
}

TEST_F(HeatmapPixels, AllHeadsAreOneTextureAndOneDrawCall) {
  gl::HeatmapBatch heads;
  for (std::size_t head = 0; head < 12; ++head) {
    heads.sources.push_back(source(1, 1, {static_cast<float>(head) / 11.0F}, head));
    gl::HeatmapQuad quad;
    const auto x = static_cast<float>(20 * head);
    quad.rect = {x, 0, x + 20, 20};
    quad.source = head;
    heads.quads.push_back(quad);
  }
  const int before = renderer_->stats().liveObjects;
  const auto image = draw(heads);
  EXPECT_EQ(renderer_->stats().drawCalls, 1);
  EXPECT_EQ(renderer_->stats().liveObjects, before + 1);
  for (int head = 0; head < 12; ++head) {
    const ImU32 expected = maps_[0].at(static_cast<float>(head) / 11.0F);
    EXPECT_LE(difference(color(image, 20 * head + 10, 10), expected), 1) << head;
  }
}

TEST_F(HeatmapPixels, TexturesNoLongerUsedAreFreed) {
  const auto empty = renderer_->stats();
  for (int size = 1; size <= 40; ++size) {
    const auto cells = static_cast<std::size_t>(size * size);
    draw(batch(source(size, size, std::vector<float>(cells)), {0, 0, 20, 20}));
  }
  EXPECT_EQ(renderer_->stats().liveObjects, empty.liveObjects + 40);
  for (int frame = 0; frame < 200; ++frame) {
    draw(batch(source(3, 3, std::vector<float>(9)), {0, 0, 20, 20}));
  }
  EXPECT_EQ(renderer_->stats().liveObjects, empty.liveObjects + 1);
  EXPECT_EQ(renderer_->stats().bytesHeld, 9 * sizeof(float));
}

TEST_F(HeatmapPixels, KeysThatComeAndGoKeepTheirOwnValues) {
  // More keys over time than an array has layers: layers are handed on, values are not.
  for (std::uint64_t key = 0; key < 400; ++key) {
    const float value = static_cast<float>(key % 7) / 6.0F;
    const auto image = draw(batch(source(1, 1, {value}, key), {0, 0, 20, 20}));
    ASSERT_LE(difference(color(image, 10, 10), maps_[0].at(value)), 1) << key;
  }
  EXPECT_LE(renderer_->stats().bytesHeld, 130 * sizeof(float));
}

TEST_F(HeatmapPixels, TooLargeASourceIsRefused) {
  EXPECT_THROW(draw(batch(source(1, 1 << 20, {}), {0, 0, 20, 20})), gl::Error);
}

}  // namespace
}  // namespace headscope
