// The image that an input's patches were cut from.
#include "app/ui/parts/patch_picture.h"

#include "app_driver.h"

namespace headscope::ui {
namespace {

TEST(PatchPictures, AreOfPatchesAlone) {
  EXPECT_TRUE(PatchPicture::of(*presetDocument("vit-base")->input, 0));
  EXPECT_FALSE(PatchPicture::of(*presetDocument("rul")->input, 0));
  EXPECT_FALSE(PatchPicture::of(*presetDocument("original-transformer")->input, 0));
}

/// A wide grid of a model's patches keeps its form, and its class token stands next to it.
TEST(PatchPictures, OfAGridHaveItsForm) {
  Input input;
  input.x = Tensor::zeros({1, 9, 2});
  input.patches = {1, 2, 4};
  const auto picture = PatchPicture::of(input, 0);
  ASSERT_TRUE(picture);
  const Rect at = picture->within(Rect::at({0.0F, 0.0F}, {100.0F, 100.0F}));
  EXPECT_EQ(at.size().x, 100.0F);
  EXPECT_EQ(at.size().y, 50.0F);
  const std::vector<Rect> places = picture->places(at, 9);
  EXPECT_LT(places[0].b.x, at.a.x);
  EXPECT_EQ(places[8].b.x, 100.0F);
  EXPECT_EQ(places[8].size().x, 25.0F);
  EXPECT_EQ(places[8].size().y, 25.0F);
}

TEST(PatchContrasts, AreLargeWhereAPatchIsUnlikeBothSides) {
  const PatchGrid grid{1, 3, 3};
  Tensor x = Tensor::zeros({1, 10, 1});
  for (Index i = 0; i < 10; ++i) x.mutableData()[i] = static_cast<float>(i);  // even: no contrast
  EXPECT_EQ(patchContrasts(grid, x, 0), std::vector<float>(10, 0.0F));
  x.mutableData()[5] = 50.0F;
  const std::vector<float> contrasts = patchContrasts(grid, x, 0);
  EXPECT_EQ(contrasts[5], 1.0F);
  EXPECT_EQ(contrasts[0], 0.0F) << "no patch";
  EXPECT_EQ(contrasts[1], 0.0F) << "a corner has no patch on both sides";
  EXPECT_TRUE(patchContrasts({}, x, 0).empty());
}

}  // namespace
}  // namespace headscope::ui
