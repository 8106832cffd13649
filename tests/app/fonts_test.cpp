// Sizes and fonts: a hidden window, monitors of other scales, typefaces that are missing or
// damaged.
#include "app/ui/fonts.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "app/host/monitor.h"
#include "app/ui/compat.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

TEST(NoWindow, FramesOfAnySizeAreBuilt) {
  AppDriver ui(presetDocument("by-hand"));
  for (const std::string page : {kFlowPage, kHeadsPage}) {
    ui.view().selection.page = page;
    ui.settle();
    const std::string whole = ui.screen().all();
    for (const auto& [width, height] :
         {std::pair{0, 0}, std::pair{1, 1}, std::pair{0, 1000}, std::pair{1600, 0},
          std::pair{3, 2000}, std::pair{16384, 16384}}) {
      ui.host().resize(width, height);
      ui.settle();
    }
    ui.host().resize(1600, 1000);
    ui.settle();
    EXPECT_EQ(ui.screen().all(), whole);
  }
}

TEST(ContentScale, FollowsTheMonitorAndKeepsWhatTheUserChose) {
  EXPECT_FLOAT_EQ(host::interfaceScale(0.0F), 1.0F);
  EXPECT_FLOAT_EQ(host::interfaceScale(1.3F), 1.25F);
  EXPECT_FLOAT_EQ(host::interfaceScale(8.0F), kMaxScale);
  EXPECT_FLOAT_EQ(host::interfaceScale(std::nanf("")), 1.0F);
  EXPECT_FLOAT_EQ(host::rescaled(1.0F, 1.0F, 2.0F), 2.0F);
  EXPECT_FLOAT_EQ(host::rescaled(2.0F, 2.0F, 1.0F), 1.0F);
  EXPECT_FLOAT_EQ(host::rescaled(1.5F, 1.0F, 2.0F), 3.0F);
  EXPECT_FLOAT_EQ(host::rescaled(1.25F, 2.0F, 1.0F), 1.0F);
  EXPECT_FLOAT_EQ(host::rescaled(1.5F, 1.0F, 0.0F), 1.5F);
}

TEST(ContentScale, AnotherScaleHasFontsOfItsOwn) {
  AppDriver ui(presetDocument("by-hand"));
  const auto height = [] { return fontSize(ImGui::GetIO().FontDefault); };
  const float before = height();
  ui.view().preferences.scale = host::rescaled(ui.view().preferences.scale, 1.0F, 2.0F);
  ui.settle();
  EXPECT_NEAR(height(), 2 * before, 1.0F);
  ui.view().preferences.scale = host::rescaled(ui.view().preferences.scale, 2.0F, 1.0F);
  ui.settle();
  EXPECT_FLOAT_EQ(height(), before);
}

#if IMGUI_VERSION_NUM < 19200  // since then letters are drawn when they are first shown
std::string_view none(FontFace) { return {}; }
std::string_view damaged(FontFace face) {
  return fontFile(face).substr(0, fontFile(face).size() / 2);
}
std::string_view noTypeface(FontFace) { return "This is no typeface, however long it may be."; }
std::string_view onlySymbols(FontFace face) {
  return face == FontFace::symbols ? fontFile(face) : std::string_view();
}
std::string_view noSymbols(FontFace face) {
  return face == FontFace::symbols ? std::string_view() : fontFile(face);
}

TEST(FontAtlas, WhateverTypefacesThereAreEveryFontHasLetters) {
  for (const FontFiles files : {none, damaged, noTypeface, onlySymbols, noSymbols}) {
    ImFontAtlas atlas;
    const Fonts fonts = fillAtlas(atlas, 1.0F, files);
    ASSERT_TRUE(atlas.Build());
    for (ImFont* font : {fonts.regular, fonts.small, fonts.tiny, fonts.semibold, fonts.title,
                         fonts.mono, fonts.monoSmall}) {
      ASSERT_NE(font, nullptr);
      EXPECT_NE(font->FindGlyphNoFallback('A'), nullptr);
    }
  }
}
#endif

TEST(FontAtlas, TheEmbeddedTypefacesAreWhole) {
  for (const FontFace face :
       {FontFace::regular, FontFace::semibold, FontFace::mono, FontFace::symbols}) {
    const std::string_view file = fontFile(face);
    ASSERT_TRUE(isWholeFont(file)) << static_cast<int>(face);
    for (const std::size_t part : {1, 2, 10, 100}) {
      EXPECT_FALSE(isWholeFont(file.substr(0, file.size() - file.size() / part)));
    }
  }
}

}  // namespace
}  // namespace headscope::ui
