// Menus hang below their buttons, tooltips keep out of the way, text breaks at spaces alone.
#include "app/ui/menu.h"

#include <string>

#include "app/ui/widgets.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

void rest(AppDriver& ui) {
  for (int i = 0; i < 40; ++i) ui.frame();
}

TEST(Menus, HangBelowTheirButton) {
  AppDriver ui;
  for (const auto& [button, bar] :
       {std::pair{"Export ▾", "top bar"}, {"More ▾", "top bar"}, {"examples ▾", "tokens"}}) {
    const ImVec2 at = ui.at(button, bar);
    ui.clickAt(at);
    const auto menu = ui.window("Popup");
    ASSERT_TRUE(menu) << button;
    EXPECT_GT(menu->y0, at.y + 8.0F) << button;
    EXPECT_LT(menu->y0, at.y + 40.0F) << button;
    ui.press(Key::escape);
  }
}

TEST(Tooltips, StayAwayAfterAClickUntilTheMouseHasLeft) {
  AppDriver ui;
  const ImVec2 button = ui.at("Play", "steps");
  ui.hover(button);
  rest(ui);
  EXPECT_TRUE(ui.window("##Tooltip"));
  ui.clickAt(button);
  ui.press(Key::space);  // halts again
  rest(ui);
  EXPECT_FALSE(ui.window("##Tooltip"));
  ui.hover({5, 500});
  rest(ui);
  ui.hover(button);
  rest(ui);
  EXPECT_TRUE(ui.window("##Tooltip"));
}

TEST(Tooltips, OfFieldsHangBelowTheirRow) {
  AppDriver ui;
  const ImVec2 field = ui.at("heads", "top bar");
  ui.hover(field);
  rest(ui);
  const auto tip = ui.window("##Tooltip");
  ASSERT_TRUE(tip);
  EXPECT_GT(tip->y0, field.y + 8.0F);
}

TEST(Wrapped, BreaksAtSpacesAndNeverWithinANumber) {
  AppDriver ui;
  ImFont* font = ImGui::GetFont();
  const std::string text = "one gives 0.99 and the other −12.5 of it, 1,050,624 in all.\nThe end";
  for (float width = 20.0F; width < 400.0F; width += 3.0F) {
    const std::string lines = wrapped(font, text, width);
    std::string joined;
    for (const char c : lines) {
      if (c != '\n' && c != ' ') joined += c;
    }
    std::string plain;
    for (const char c : text) {
      if (c != '\n' && c != ' ') plain += c;
    }
    EXPECT_EQ(joined, plain);
    if (width < textSize(font, "1,050,624").x) continue;
    for (const char* number : {"0.99", "−12.5", "1,050,624"}) {
      EXPECT_NE(lines.find(number), std::string::npos) << width << "\n" << lines;
    }
  }
  EXPECT_EQ(wrapped(font, "a\nb", 400.0F), "a\nb");
}

}  // namespace
}  // namespace headscope::ui
