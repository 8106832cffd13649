// A card's tabs (see widgets.h).
#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr const char* kMore = "more ▾";

ImFont* fontOf(const Look& look, bool chosen) {
  return chosen ? look.fonts.semibold : look.fonts.regular;
}

/// One tab at the cursor; true where it is clicked.
bool tabItem(const Look& look, const Tab& tab, bool chosen, float rowHeight) {
  const Theme& t = look.theme;
  ImFont* font = fontOf(look, chosen);
  const ImVec2 size = textSize(font, tab.title);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton(tab.title, {size.x, rowHeight});
  const bool hovered = ImGui::IsItemHovered();
  if (!chosen) tip(look, tab.about);  // the chosen one's panel stands under it
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawText(list, font, {at.x, at.y + (rowHeight - size.y) * 0.5F},
           chosen || hovered ? t.text : t.textMuted, tab.title);
  if (chosen) {
    const float y = at.y + rowHeight + look.px(1);
    list->AddLine({at.x, y}, {at.x + size.x, y}, t.accent, look.px(2));
  }
  return clicked && !chosen;
}

}  // namespace

int tabRow(const Look& look, const char* id, const std::vector<Tab>& tabs, int chosen,
           const char* explanation, float kept) {
  if (tabs.size() == 1) {
    heading(look, tabs.front().title, explanation);
    return -1;
  }
  const float gap = look.px(18);
  const float rowHeight = fontSize(look.fonts.semibold) + look.px(2);
  const float room = ImGui::GetContentRegionAvail().x - kept;
  const auto widthOf = [&](std::size_t i) {
    return textSize(fontOf(look, static_cast<int>(i) == chosen), tabs[i].title).x;
  };
  // as many as fit beside "more"; the chosen one always
  float all = -gap;
  for (std::size_t i = 0; i < tabs.size(); ++i) all += widthOf(i) + gap;
  const float more = textSize(look.fonts.regular, kMore).x;
  std::vector<std::size_t> shown;
  std::vector<std::size_t> hidden;
  float used = all <= room ? -gap : more + widthOf(static_cast<std::size_t>(chosen)) + gap;
  for (std::size_t i = 0; i < tabs.size(); ++i) {
    const bool isChosen = static_cast<int>(i) == chosen;
    const float needed = all > room && isChosen ? 0.0F : widthOf(i) + gap;
    if (isChosen || (hidden.empty() && used + needed <= room)) {
      used += needed;
      shown.push_back(i);
    } else {
      hidden.push_back(i);
    }
  }

  int clicked = -1;
  ImGui::PushID(id);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  float x = start.x;
  for (const std::size_t i : shown) {
    ImGui::SetCursorScreenPos({x, start.y});
    if (tabItem(look, tabs[i], static_cast<int>(i) == chosen, rowHeight)) {
      clicked = static_cast<int>(i);
    }
    x += widthOf(i) + gap;
  }
  if (!hidden.empty()) {
    ImGui::SetCursorScreenPos({x, start.y});
    if (tabItem(look, {kMore, "the other tabs"}, false, rowHeight)) ImGui::OpenPopup("more tabs");
    if (beginPopup("more tabs")) {
      for (const std::size_t i : hidden) {
        if (ImGui::MenuItem(tabs[i].title)) clicked = static_cast<int>(i);
      }
      ImGui::EndPopup();
    }
  } else if (explanation != nullptr && start.x + room - x > look.px(120)) {
    const float y = start.y + (rowHeight - fontSize(look.fonts.small)) * 0.65F;
    drawText(ImGui::GetWindowDrawList(), look.fonts.small, {x, y}, look.theme.textMuted,
             elided(look.fonts.small, explanation, start.x + room - x));
  }
  ImGui::SetCursorScreenPos(start);
  ImGui::Dummy({room, rowHeight + look.px(4)});
  ImGui::PopID();
  return clicked;
}

}  // namespace headscope::ui
