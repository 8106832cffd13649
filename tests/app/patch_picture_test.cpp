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

}  // namespace
}  // namespace headscope::ui
