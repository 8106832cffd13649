// Pictures: the window's equal those of the render command, and drawing one keeps the window's
// ImGui context current.
#include <gtest/gtest.h>
#include <imgui.h>
#include <stb_image.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "app/host/headless.h"
#include "app/host/image.h"
#include "app/host/offscreen.h"
#include "core/base/error.h"
#include "core/presets/presets.h"

namespace headscope::host {
namespace {

namespace fs = std::filesystem;

constexpr Index kPictureBudget = Index{2} << 30;

PictureRequest request(int width, int height) {
  PictureRequest picture;
  picture.program.document = makePreset(presetByName("by-hand"), {}, kPictureBudget);
  picture.program.view.preferences.animate = false;
  picture.program.threads = 1;
  picture.width = width;
  picture.height = height;
  return picture;
}

TEST(Picture, IsTheRenderCommands) {
  const fs::path path = fs::temp_directory_path() / "headscope_picture_test.png";
  for (const bool step : {false, true}) {
    PictureRequest picture = request(640, 400);
    picture.program.view.preferences.theme = ui::ThemeKind::dark;
    if (step) picture.program.view.selection.focus = ui::kStepViewCard;
    const Image drawn = drawPicture(picture);
    const std::string command = std::string(HEADSCOPE_PROGRAM) +
                                " render --preset by-hand --theme dark --size 640x400 --view " +
                                (step ? "step" : "flow") + " --out " + path.string() +
                                " > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    int width = 0;
    int height = 0;
    int channels = 0;
    stbi_uc* pixels = stbi_load(path.c_str(), &width, &height, &channels, 4);
    ASSERT_NE(pixels, nullptr);
    EXPECT_EQ(width, drawn.width);
    EXPECT_EQ(height, drawn.height);
    // the status bar tells how long the pass took, which differs
    constexpr std::ptrdiff_t kStatusBar = 28;
    const std::ptrdiff_t rows = drawn.height - (step ? 0 : kStatusBar);
    EXPECT_TRUE(
        std::equal(drawn.rgba.begin(), drawn.rgba.begin() + rows * 4 * drawn.width, pixels));
    stbi_image_free(pixels);
    fs::remove(path);
  }
}

TEST(Picture, UsesATraceThatIsThereAlready) {
  PictureRequest picture = request(320, 200);
  App program(std::exchange(picture.program, {}));
  program.finish();
  PictureRequest again = request(320, 200);
  again.program.document = program.document();
  const Image computed = drawPicture(again);
  again.program.trace = program.trace();
  App same(again.program);
  EXPECT_EQ(same.trace(), program.trace());
  // a trace of another document is not taken for this one's
  AppOptions other = request(1, 1).program;
  other.trace = program.trace();
  App computes(std::move(other));
  computes.finish();
  EXPECT_NE(computes.trace(), program.trace());
  EXPECT_EQ(drawPicture(again).width, computed.width);
}

TEST(Picture, LeavesTheWindowsContextCurrent) {
  Headless window(800, 500);
  App program(request(1, 1).program);
  window.frames(program, 3);
  ImGuiContext* const before = ImGui::GetCurrentContext();
  const Image small = drawPicture(request(320, 200));
  EXPECT_EQ(small.width, 320);
  EXPECT_EQ(ImGui::GetCurrentContext(), before);
  window.frames(program, 3);
  EXPECT_FLOAT_EQ(ImGui::GetIO().DisplaySize.x, 800);
}

TEST(Picture, AtFourTimesTheScaleIsFourTimesAsLarge) {
  PictureRequest picture = request(1280, 800);
  picture.program.view.preferences.scale = 4;
  const Image drawn = drawPicture(picture);
  EXPECT_EQ(drawn.width, 1280);
  const std::uint8_t* background = drawn.at(0, 799);
  std::size_t marked = 0;
  for (int y = 0; y < drawn.height; ++y) {
    for (int x = 0; x < drawn.width; ++x) {
      marked += std::equal(background, background + 3, drawn.at(x, y)) ? 0 : 1;
    }
  }
  EXPECT_GT(marked, 10000U);
}

}  // namespace
}  // namespace headscope::host
