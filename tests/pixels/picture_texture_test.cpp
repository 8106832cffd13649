// Pictures of a scene: drawn upright in their rectangles, in parts, faded, and uploaded once for
// each of their contents.
#include "tests/pixels/pixel_test.h"

namespace headscope {
namespace {

class PicturePixels : public PixelTest {
 protected:
  /// Red, green over blue, white.
  static gl::PictureSource quarters(std::uint64_t revision = 1) {
    static constexpr std::uint8_t kRgb[]{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};
    return {7, revision, 2, 2, {std::shared_ptr<const void>(), kRgb}};
  }
};

constexpr ImU32 kRed = IM_COL32(255, 0, 0, 255), kGreen = IM_COL32(0, 255, 0, 255);
constexpr ImU32 kBlue = IM_COL32(0, 0, 255, 255), kWhite = IM_COL32(255, 255, 255, 255);

TEST_F(PicturePixels, AreUprightInTheirRectangles) {
  const auto image = draw(gl::PictureBatch{quarters(), {{{20, 20, 120, 120}}}});
  EXPECT_LE(difference(color(image, 25, 25), kRed), 2);
  EXPECT_LE(difference(color(image, 115, 25), kGreen), 2);
  EXPECT_LE(difference(color(image, 25, 115), kBlue), 2);
  EXPECT_LE(difference(color(image, 115, 115), kWhite), 2);
  EXPECT_EQ(color(image, 18, 60), kBackground);
  EXPECT_EQ(color(image, 60, 121), kBackground);
}

TEST_F(PicturePixels, ShowPartsAndFade) {
  gl::PictureBatch batch{quarters(), {}};
  batch.quads.push_back({{0, 0, 40, 40}, {0.75F, 0.0F, 1.0F, 0.25F}});          // green alone
  batch.quads.push_back({{60, 0, 100, 40}, {0.0F, 0.75F, 0.25F, 1.0F}, 0.5F});  // half of blue
  const auto image = draw(std::move(batch));
  EXPECT_LE(difference(color(image, 20, 20), kGreen), 2);
  EXPECT_LE(difference(color(image, 80, 20), IM_COL32(128, 0, 255, 255)), 2);
  EXPECT_EQ(renderer_->stats().drawCalls, 1);
}

TEST_F(PicturePixels, AreUploadedOnceForEachOfTheirContents) {
  const gl::PictureQuad whole{{0, 0, 40, 40}};
  draw(gl::PictureBatch{quarters(1), {whole}});
  const std::uint64_t once = renderer_->stats().uploads;
  const int objects = renderer_->stats().liveObjects;
  draw(gl::PictureBatch{quarters(1), {whole}});
  EXPECT_EQ(renderer_->stats().uploads, once);
  draw(gl::PictureBatch{quarters(2), {whole}});
  EXPECT_EQ(renderer_->stats().uploads, once + 1);
  EXPECT_EQ(renderer_->stats().liveObjects, objects);
  for (int frame = 0; frame < 200; ++frame) renderer_->beginFrame();
  EXPECT_EQ(renderer_->stats().liveObjects, objects - 1) << "nothing shows it any more";
}

}  // namespace
}  // namespace headscope
