// Ribbons: filled between their eased edges, softened along them, blended from one colour to
// another.
#include "tests/pixels/pixel_test.h"

namespace headscope {
namespace {

class RibbonPixels : public PixelTest {};

TEST_F(RibbonPixels, StraightRibbonFillsItsRectangle) {
  const gl::Rgba blue{0, 0, 1, 1};
  const auto image = draw(gl::RibbonBatch{{{20, 40, 80, 220, 40, 80, blue, blue}}});
  EXPECT_EQ(color(image, 21, 60), packed(blue));
  EXPECT_EQ(color(image, 120, 41), packed(blue));
  EXPECT_EQ(color(image, 120, 78), packed(blue));
  EXPECT_EQ(color(image, 120, 38), kBackground);
  EXPECT_EQ(color(image, 120, 81), kBackground);
  EXPECT_EQ(color(image, 18, 60), kBackground);
  EXPECT_EQ(color(image, 221, 60), kBackground);
}

TEST_F(RibbonPixels, EasedRibbonLeavesAndArrivesLevel) {
  const gl::Rgba blue{0, 0, 1, 1};
  const auto image = draw(gl::RibbonBatch{{{0, 0, 40, 240, 120, 160, blue, blue}}});
  EXPECT_EQ(color(image, 10, 20), packed(blue));
  EXPECT_EQ(color(image, 230, 140), packed(blue));
  EXPECT_EQ(color(image, 120, 80), packed(blue)) << "halfway in the middle";
  EXPECT_EQ(color(image, 20, 45), kBackground) << "still level near its start";
  EXPECT_EQ(color(image, 120, 40), kBackground);
  EXPECT_EQ(color(image, 120, 120), kBackground);
}

TEST_F(RibbonPixels, ColourGoesFromOneEndToTheOtherAndAlphaBlends) {
  const gl::Rgba from{0, 0, 0, 1};
  const gl::Rgba to{0, 1, 0, 0};
  const auto image = draw(gl::RibbonBatch{{{0, 40, 120, 240, 40, 120, from, to}}});
  EXPECT_LE(difference(color(image, 0, 80), IM_COL32_BLACK), 2);
  EXPECT_LE(difference(color(image, 239, 80), kBackground), 2);
  const ImU32 middle = color(image, 120, 80);  // half of (0, ½, 0) over magenta
  EXPECT_LE(difference(middle, IM_COL32(127, 64, 127, 255)), 2);
}

TEST_F(RibbonPixels, EdgesAreSoftenedByCoverage) {
  const gl::Rgba black{0, 0, 0, 1};
  const auto image = draw(gl::RibbonBatch{{{0, 40.5F, 80.25F, 240, 40.5F, 80.25F, black, black}}});
  EXPECT_LE(difference(color(image, 120, 40), IM_COL32(128, 0, 128, 255)), 2);
  EXPECT_LE(difference(color(image, 120, 80), IM_COL32(191, 0, 191, 255)), 2);
}

TEST_F(RibbonPixels, ThinRibbonKeepsItsShareOfAPixel) {
  const gl::Rgba black{0, 0, 0, 1};
  const auto image = draw(gl::RibbonBatch{{{0, 40.4F, 40.6F, 240, 40.4F, 40.6F, black, black}}});
  EXPECT_LE(difference(color(image, 120, 40), IM_COL32(204, 0, 204, 255)), 2);
}

TEST_F(RibbonPixels, ManyRibbonsAreOneDrawCallAndDegenerateOnesDoNoHarm) {
  gl::RibbonBatch batch;
  const gl::Rgba blue{0, 0, 1, 1};
  for (int i = 0; i < 500; ++i) {
    const auto y = static_cast<float>(i % 150);
    batch.ribbons.push_back({0, y, y + 1, 240, 150 - y, 151 - y, blue, blue});
  }
  batch.ribbons.push_back({50, 10, 20, 50, 10, 20, blue, blue});  // no width
  batch.ribbons.push_back({50, 10, 10, 90, 10, 10, blue, blue});  // no height
  draw(batch);
  EXPECT_EQ(renderer_->stats().drawCalls, 1);
}

}  // namespace
}  // namespace headscope
