// The offscreen host: the program's own frames, in pictures and in PNG files.
#include "app/host/offscreen.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "app/gl/program.h"
#include "app/host/image.h"
#include "core/base/error.h"
#include "core/editing/make_document.h"
#include "core/presets/presets.h"
#include "tests/pixels/pixel_test.h"

namespace headscope::host {
namespace {

constexpr Index kOffscreenBudget = Index{1} << 30;

AppOptions byHand() {
  AppOptions options;
  options.document = makePreset(presetByName("by-hand"), {}, kOffscreenBudget);
  options.view.preferences.animate = false;
  return options;
}

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("headscope_offscreen_" + name);
}

template <typename Function>
std::string userErrorOf(Function function) {
  try {
    function();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Offscreen, DrawsTheInterfaceAndTheSameOneAgain) {
  App app(byHand());
  Offscreen offscreen(1280, 720);
  const Image first = offscreen.draw(app);
  ASSERT_EQ(first.width, 1280);
  ASSERT_EQ(first.height, 720);
  std::set<ImU32> colors;
  for (std::size_t i = 0; i < first.rgba.size(); i += 4) {
    const std::uint8_t* p = &first.rgba[i];
    colors.insert(IM_COL32(p[0], p[1], p[2], p[3]));
    ASSERT_EQ(p[3], 255) << "opaque";
  }
  EXPECT_GT(colors.size(), 100U);
  EXPECT_TRUE(colors.contains(ui::theme(ui::ThemeKind::light).panel));
  EXPECT_EQ(offscreen.draw(app).rgba, first.rgba);
}

TEST(Offscreen, DrawsWhatIsComputedInManySteps) {
  AppOptions options = byHand();
  options.view.selection.page = ui::kHeadsPage;
  options.view.heads.effectTab = ui::EffectTab::moreHeads;  // one pass after another
  App app(options);
  Offscreen offscreen(1280, 720);
  const Image first = offscreen.draw(app);
  EXPECT_EQ(offscreen.draw(app).rgba, first.rgba);
}

TEST(Offscreen, DrawsTheBarsToScrollBy) {
  AppOptions options;
  AttentionConfig config;
  config.dModel = 64;
  config.numHeads = config.numKvHeads = 32;
  options.document = makeDocument("", config, TextSource{{"The cat sat"}, {}}, Positions::named, {},
                                  kOffscreenBudget);
  options.view.preferences.animate = false;
  options.view.selection.page = ui::kHeadsPage;
  App app(options);
  Offscreen offscreen(1280, 720);
  const Image first = offscreen.draw(app);
  EXPECT_EQ(offscreen.draw(app).rgba, first.rgba);
}

TEST(Offscreen, AFrameInWhichNothingChangedUploadsNothing) {
  App app(byHand());
  Offscreen offscreen(1280, 720);
  offscreen.draw(app);
  const auto before = offscreen.renderer().stats();
  EXPECT_GT(before.uploads, 0U);
  for (int i = 0; i < 10; ++i) offscreen.drawFrame(app);
  EXPECT_EQ(offscreen.renderer().stats().uploads, before.uploads);
}

TEST(Offscreen, ScaleAndThemeChangeWithoutLeavingObjects) {
  App app(byHand());
  Offscreen offscreen(1280, 720);
  const Image small = offscreen.draw(app);
  const int before = liveGlObjects();
  app.view().preferences.scale = 1.5F;
  app.view().preferences.theme = ui::ThemeKind::dark;
  EXPECT_NE(offscreen.draw(app).rgba, small.rgba);
  app.view().preferences.scale = 1.0F;
  app.view().preferences.theme = ui::ThemeKind::light;
  for (int i = 0; i < 200; ++i) offscreen.drawFrame(app);  // textures of the other scale age
  EXPECT_EQ(offscreen.draw(app).rgba, small.rgba);
  EXPECT_EQ(liveGlObjects(), before);
}

TEST(Offscreen, RefusesSizesThatNoGpuTakes) {
  EXPECT_NE(userErrorOf([] { Offscreen(0, 100); }).find("size 0x100"), std::string::npos);
  EXPECT_NE(userErrorOf([] { Offscreen(1 << 20, 8); }).find("size 1048576x8"), std::string::npos);
}

TEST(Offscreen, AShaderOfTheUsersThatDoesNotCompileIsTheirMistake) {
  const auto folder = temporary("shaders");
  std::filesystem::create_directories(folder);
  for (const char* name : {"heatmap.vert", "ribbon.vert", "ribbon.frag"}) {
    std::ofstream(folder / name) << gl::shaderFile(name);
  }
  std::ofstream(folder / "heatmap.frag") << "void main() {\n  nonsense;\n}\n";
  const auto message = userErrorOf([&] { Offscreen(64, 64, folder); });
  EXPECT_EQ(message.rfind((folder / "heatmap.frag").string() + ":2: ", 0), 0U) << message;
  std::filesystem::remove_all(folder);
}

TEST(Png, IsWrittenWholeAndAnUnwritablePathNamed) {
  const Image image{2, 1, {255, 0, 0, 255, 0, 0, 255, 255}};
  const auto path = temporary("two_pixels.png");
  writePng(path, image);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(bytes.substr(bytes.size() - 8, 4), "IEND");
  std::filesystem::remove(path);

  const std::string unwritable = "/no/such/folder/a.png";
  const auto message = userErrorOf([&] { writePng(unwritable, image); });
  EXPECT_NE(message.find(unwritable), std::string::npos) << message;
}

}  // namespace
}  // namespace headscope::host
