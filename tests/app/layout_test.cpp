// Layout: at every size and interface scale no panel overlaps another, nothing is cut off, and what
// does not fit is reached by scrolling.
#include <algorithm>
#include <utility>

#include "app/ui/flow_page.h"
#include "app/ui/window_layout.h"
#include "app_driver.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

struct Size {
  int width, height;
  float scale;
};

void PrintTo(const Size& s, std::ostream* out) {
  *out << s.width << "x" << s.height << " at " << s.scale;
}

class Layout : public testing::TestWithParam<Size> {
 protected:
  ViewState view() const {
    ViewState view;
    view.preferences.scale = GetParam().scale;
    return view;
  }
};

TEST_P(Layout, PanelsStandApartAndWithinTheBody) {
  const auto [width, height, scale] = GetParam();
  const auto w = static_cast<float>(width);
  const auto h = static_cast<float>(height);
  for (const float rows : {48.0F, 96.0F}) {
    const WindowLayout layout = layoutWindow({{w, h}, 0.0F, rows * scale, scale});
    const ImVec2 content = flowContent(layout.body.size(), scale);
    const FlowPlaces places = layoutFlow(content, scale, false);
    std::vector<Rect> cards{places.steps, places.tools, places.stepView, places.heads};
    if (!places.inspector.empty()) cards.push_back(places.inspector);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      EXPECT_TRUE((Rect{{0, 0}, content}).contains(cards[i])) << i;
      EXPECT_GT(cards[i].width(), 100 * scale) << i;
      EXPECT_GT(cards[i].height(), 70 * scale) << i;
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(cards[i].overlaps(cards[j])) << i << " " << j;
      }
    }
    EXPECT_FLOAT_EQ(layout.body.a.y, layout.tokens.b.y);
    EXPECT_FLOAT_EQ(layout.status.b.y, h);
    EXPECT_LE(layout.body.b.y, layout.status.a.y + 1);
  }
}

TEST_P(Layout, TheBarsControlsAreAllOnTheScreen) {
  const auto [width, height, scale] = GetParam();
  const auto w = static_cast<float>(width);
  AppDriver ui(exampleDocument("english-german"), width, height, view());
  EXPECT_LT(ui.window("top bar")->y1, static_cast<float>(height) / 3.0F);
  const bool folds = w / scale < 720.0F;
  EXPECT_EQ(ui.shows("Settings", "top bar"), folds);
  if (folds) ui.click("Settings", "top bar");
  ScreenText screen = ui.screen();
  for (const char* text :
       {"d_model", "heads", "tokens", "causal", "÷√dk", "More ▾", "↶", "↷", "Export ▾", "View ▾"}) {
    const auto spot = screen.find(text, "top bar");
    ASSERT_TRUE(spot) << text << ": " << screen.all("top bar");
    EXPECT_LE(spot->max.x, static_cast<float>(width)) << text;
    EXPECT_LE(spot->max.y, ui.window("top bar")->y1) << text;
  }
  EXPECT_TRUE(screen.shows("of 9 steps"));
  EXPECT_EQ(screen.find("bias", "top bar").has_value(), w / scale >= 1470.0F);
  ui.click("More ▾", "top bar");
  EXPECT_TRUE(ui.shows("bias")) << ui.screen().all();  // in the bar, or there
  ui.press(Key::escape);
  // a narrow window moves some of them to "More"
  const bool narrow = screen.find("More ▾", "tokens").has_value();
  EXPECT_EQ(narrow, w / scale < 600.0F);
  for (const char* text : {"edit text", "edit memory"}) {
    const auto spot = screen.find(text, "tokens");
    ASSERT_TRUE(spot) << text;
    EXPECT_LE(spot->max.x, w) << text;
  }
  if (narrow) {
    ui.click("More ▾", "tokens");
    screen = ui.screen();
  }
  for (const char* text : {"examples", "open file", "remove"}) {
    const auto spot = screen.find(text, narrow ? "Popup" : "tokens");
    ASSERT_TRUE(spot) << text;
    EXPECT_LE(spot->max.x, w) << text;
    EXPECT_LE(spot->max.y, static_cast<float>(height)) << text;
  }
}

TEST_P(Layout, BarsAndBodyFollowOneAnother) {
  const auto [width, height, scale] = GetParam();
  AppDriver ui(presetDocument("original-transformer"), width, height, view());
  const auto bar = *ui.window("top bar");
  const auto tokens = *ui.window("tokens");
  const auto body = *ui.window("body");
  EXPECT_NEAR(bar.y1, tokens.y0, 1);
  EXPECT_NEAR(tokens.y1, body.y0, 1);
  EXPECT_LE(body.y1, static_cast<float>(height));
  EXPECT_GT(body.y1 - body.y0, 10);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Layout,
                         testing::Values(Size{1280, 720, 1}, Size{1600, 1000, 1},
                                         Size{3840, 2160, 2}, Size{3840, 2160, 3},
                                         Size{1920, 1080, 1.5F}, Size{800, 600, 1},
                                         Size{1280, 720, 3}),
                         [](const auto& info) {
                           const Size& s = info.param;
                           return "w" + std::to_string(s.width) + "h" + std::to_string(s.height) +
                                  "x" + std::to_string(static_cast<int>(s.scale * 100));
                         });

TEST(TopBarsHeight, StaysWhateverTheDimensions) {
  for (const int width : {1280, 1440, 1600, 1920}) {
    AppDriver ui(presetDocument("original-transformer"), width, 1000);
    const float one = ui.window("top bar")->y1;
    for (const auto& [dModel, heads] :
         {std::pair<Index, Index>{512, 16}, {512, 4}, {1024, 32}, {768, 96}, {1536, 12}, {8, 2}}) {
      ui.restart(textDocument("The cat sat on the mat", dModel, heads));
      EXPECT_EQ(ui.window("top bar")->y1, one) << width << ": " << dModel << " / " << heads;
    }
  }
}

TEST(StatusBar, GivesAMessageTheRoomItNeeds) {
  ViewState view;
  view.preferences.scale = 3;
  AppDriver ui(presetDocument("original-transformer"), 1280, 720, view);
  EXPECT_TRUE(ui.shows("recomputed 9 of 9 steps"));
  ui.app().dropFiles({"notes.md"});
  ui.settle();
  EXPECT_TRUE(ui.shows("notes.md: only .csv (a series)"));
}

/// The rectangle of a whole run of text.
gl::Bounds placeOf(const TextRun& run) {
  const Spot spot = run.spot(0, run.text.size());
  return {spot.min.x, spot.min.y, spot.max.x, spot.max.y};
}

bool overlap(const gl::Bounds& a, const gl::Bounds& b) {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

class NarrowWindow : public testing::TestWithParam<Size> {};

TEST_P(NarrowWindow, NoControlLiesOnAnother) {
  const auto [width, height, scale] = GetParam();
  ViewState view;
  view.preferences.scale = scale;
  for (const char* name : {"english-german", "cat"}) {
    AppDriver ui(exampleDocument(name), width, height, view);
    const ScreenText screen = ui.screen();
    const float pad = ImGui::GetStyle().FramePadding.x - 1.0F;
    std::vector<std::pair<std::string, gl::Bounds>> placed;
    const auto place = [&](const std::string& what, const gl::Bounds& rect) {
      EXPECT_GE(rect.x0, 0.0F) << what;
      EXPECT_LE(rect.x1, static_cast<float>(GetParam().width)) << what;
      for (const auto& [other, there] : placed) {
        EXPECT_FALSE(overlap(rect, there)) << what << " lies on " << other;
      }
      placed.emplace_back(what, rect);
    };
    for (const char* chips : {"/chips", "/memory chips"}) {
      if (const auto rect = ui.window(chips)) {
        EXPECT_GT(rect->x1 - rect->x0, 70.0F * scale);
        place(chips, *rect);
      }
    }
    std::size_t buttons = 0;
    for (const TextRun& run : screen.runs()) {
      if (run.window.find("chips") != std::string::npos) continue;
      gl::Bounds rect = placeOf(run);
      const bool bar = run.window.find("top bar") != std::string::npos;
      const bool tokens = run.window.find("tokens") != std::string::npos;
      const bool status = rect.y0 > static_cast<float>(height) - 28.0F * scale;
      if (!bar && !tokens && !status) continue;
      if (tokens && run.text.size() > 7) {  // buttons, with what is around their words
        rect.x0 -= pad;
        rect.x1 += pad;
        ++buttons;
      }
      place(run.text, rect);
    }
    EXPECT_GE(buttons, 1U);
    ui.click("edit text", "tokens");
    EXPECT_TRUE(ui.shows("done", "tokens"));
  }
}

TEST(NarrowTokens, WhatHasNoButtonStandsBehindMore) {
  AppDriver ui(presetDocument("original-transformer"), 400, 900);
  ui.click("More ▾", "tokens");
  ui.click("examples", "Popup");
  ui.click("English and German", "Popup");
  EXPECT_TRUE(ui.config().crossAttention());
  ui.click("More ▾", "tokens");
  ui.click("remove memory", "Popup");
  EXPECT_FALSE(ui.config().crossAttention());
  ui.click("More ▾", "tokens");
  ui.click("open file", "Popup");
  ui.type("nowhere.csv");
  ui.press(Key::enter);
  EXPECT_TRUE(ui.shows("nowhere.csv", "file dialog"));
  ui.press(Key::escape);
  ui.click("More ▾", "tokens");
  ui.click("Save session as …", "Popup");
  EXPECT_TRUE(ui.window("file dialog"));
}

INSTANTIATE_TEST_SUITE_P(Sizes, NarrowWindow,
                         testing::Values(Size{400, 900, 1}, Size{360, 640, 1}, Size{560, 700, 1},
                                         Size{640, 700, 1}, Size{800, 1200, 2}),
                         [](const auto& info) {
                           return "w" + std::to_string(info.param.width) + "x" +
                                  std::to_string(static_cast<int>(info.param.scale));
                         });

TEST(SmallWindow, ScrollsToItsLastPanel) {
  AppDriver ui(presetDocument("original-transformer"), 800, 600);
  EXPECT_FALSE(ui.screen().find("Head 1", "strip"));
  const auto body = *ui.window("body");
  ui.host().moveMouse({body.x0 + 5, body.y0 + 5});
  for (int i = 0; i < 50; ++i) {
    ui.host().wheel(-1);
    ui.frame();
  }
  ui.settle();
  EXPECT_TRUE(ui.screen().find("Inspector", "inspector")) << ui.screen().all();
}

/// At twice the size a window of 1600 points has one column, which scrolls vertically only.
TEST(SmallWindow, IsNoWiderThanTheBody) {
  const ImVec2 body(800.0F, 360.0F);
  for (const float scale : {1.0F, 1.5F, 2.0F}) {
    const ImVec2 content = flowContent({body.x * scale, body.y * scale}, scale);
    EXPECT_FLOAT_EQ(content.x, body.x * scale);
    EXPECT_GT(content.y, body.y * scale);
    EXPECT_GT(layoutFlow(content, scale, false).stepView.height(), 300.0F * scale);
  }
}

/// In a low window the strip gives up part of its height.
TEST(SmallWindow, LeavesTheStepViewMoreThanTheStrip) {
  const FlowPlaces low = layoutFlow({1280.0F, 595.0F}, 1.0F, false);
  EXPECT_GT(low.stepView.height(), 250.0F);
  EXPECT_LT(low.heads.height(), 100.0F);
  EXPECT_FALSE(low.inspector.empty());
}

TEST(Resizing, IsFollowedFromFrameToFrame) {
  AppDriver ui;
  for (const auto& [width, height] :
       {std::pair{1280, 720}, {640, 400}, {200, 150}, {1, 1}, {3840, 2160}, {1600, 1000}}) {
    ui.host().resize(width, height);
    ui.settle();
  }
  EXPECT_TRUE(ui.screen().find("Head 8", "strip"));
  EXPECT_TRUE(ui.shows("Step 3", "stage"));
}

}  // namespace
}  // namespace headscope::ui
