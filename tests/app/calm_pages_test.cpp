// Pages stand still: rows of tabs, what is scrolled while the interface grows, the field of a long
// sentence; and the colours over a picture say what they mean.
#include <imgui_internal.h>

#include <string>

#include "app_driver.h"

namespace headscope::ui {
namespace {

TEST(CalmPages, ARowOfTabsStandsStill) {
  ViewState view;
  view.selection.page = kHeadsPage;
  AppDriver ui(textDocument("the cat sat on the mat"), 1600, 1000, view);
  const ImVec2 before = ui.at("Why several heads", "effects");
  for (const char* tab : {"Output matrix", "More heads", "Switch a head off"}) {
    ui.click(tab, "effects");
    const ImVec2 now = ui.at("Why several heads", "effects");
    EXPECT_NEAR(now.x, before.x, 1.0F) << tab;
    EXPECT_NEAR(now.y, before.y, 1.0F) << tab;
  }
}

/// The window of Dear ImGui in which the page's cards stand.
ImGuiWindow* bodyOfPage() {
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const std::string name = window->Name;
    const std::size_t at = name.find("/body_");
    if (at != std::string::npos && name.find('/', at + 1) == std::string::npos) return window;
  }
  return nullptr;
}

TEST(CalmPages, WhatIsScrolledStaysInPlaceAsTheInterfaceGrows) {
  ViewState view;
  view.selection.page = kHeadsPage;
  AppDriver ui(textDocument("the cat sat on the mat"), 1000, 500, view);
  ImGuiWindow* body = bodyOfPage();
  ASSERT_NE(body, nullptr);
  ASSERT_GT(body->ScrollMax.y, 0.0F);
  const float half = body->ScrollMax.y * 0.5F;
  ImGui::SetScrollY(body, half);
  ui.settle();
  const auto seen = [&] {  // the share of the page above the middle of what is seen
    body = bodyOfPage();
    return (body->Scroll.y + body->Size.y * 0.5F) / (body->ScrollMax.y + body->Size.y);
  };
  const float before = seen();
  ui.view().preferences.scale = 1.25F;
  for (int i = 0; i < 3; ++i) {
    ui.frame();
    ui.settle();
  }
  EXPECT_GT(body->Scroll.y, half * 1.1F);
  EXPECT_NEAR(seen(), before, 0.03F);
}

TEST(CalmPages, ALongSentenceIsTypedFromItsFirstWordOn) {
  std::string text = "Grandmother";
  for (int i = 0; i < 60; ++i) text += " and everyone else in the house";
  ViewState view;
  view.selection.page = kFlowPage;
  AppDriver ui(textDocument(text), 1280, 720, view);
  ui.click("edit text", "tokens");
  EXPECT_TRUE(ui.shows("Grandmother and everyone", "tokens")) << ui.screen().all("tokens");
  ui.type("Cats purr");  // all of it is chosen
  ui.settle();
  EXPECT_EQ(ui.document().input->tokens[0].front(), "Cats");
  EXPECT_EQ(ui.document().input->tokens[0].back(), "purr");
}

TEST(CalmPages, TheColoursOverAPictureHaveALegend) {
  ViewState view;
  view.selection.page = kModelPage;
  view.model.place.folder = "headscope:shapes";
  AppDriver ui(textDocument("a b"), 1600, 1000, view);
  for (int i = 0; i < 3; ++i) {
    ui.frame();
    ui.settle();
  }
  EXPECT_TRUE(ui.shows("the largest on a patch in this row", kModelTextCard))
      << ui.screen().all(kModelTextCard);
}

TEST(CalmPages, ATallerTopBarIsFollowedAtOnce) {
  ViewState view;
  view.selection.page = kStagePage;
  AppDriver ui(textDocument("the cat sat"), 900, 700, view);
  ui.settle();
  ASSERT_FALSE(ui.app().wantsFrame());
  ui.view().stage.settingsOpen = true;
  ui.frame();
  EXPECT_TRUE(ui.app().wantsFrame()) << "a second row needs another frame";
  ui.settle();
  EXPECT_TRUE(ui.shows("?", "top bar"));
}

}  // namespace
}  // namespace headscope::ui
