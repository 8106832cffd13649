#include "app/ui/parts/tab_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "app/ui/compat.h"
#include "app/ui/menu.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr const char* kMore = trLater("more");
constexpr const char* kMenuMark = " ▾";

/// The width of a tab: the same whether it is chosen or not, so that the row stands still.
float tabWidth(const FrameContext& look, const char* title) {
  return std::ceil(std::max(richTextSize(look.fonts, look.fonts.semibold, title).x,
                            richTextSize(look.fonts, look.fonts.regular, title).x));
}

/// Draws one tab at the cursor, `after` behind its title. Returns true if it was clicked.
bool tabItem(const FrameContext& look, const Tab& tab, bool chosen, float rowHeight,
             const char* after = "") {
  const Theme& t = look.theme;
  ImFont* font = chosen ? look.fonts.semibold : look.fonts.regular;
  const std::string title = fmt::format("{}{}", tab.title, after);
  const float width = tabWidth(look, title.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton(tab.title, {width, rowHeight});
  noteControl(look, tab.title);
  const bool hovered = ImGui::IsItemHovered();
  if (!chosen) tip(look, tab.about);  // the chosen tab's panel is shown below it
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawRichText(list, look.fonts, font, {at.x, at.y + (rowHeight - fontSize(font)) * 0.5F},
               chosen || hovered ? t.text : t.textMuted, title);
  if (chosen) {
    const float y = at.y + rowHeight + look.space.hair;
    list->AddLine({at.x, y}, {at.x + width, y}, t.accent, look.space.thin);
  }
  return clicked;
}

/// The tabs of a row that have a place of their own; the rest are behind a menu at its end.
struct TabPlaces {
  std::size_t shown = 0;
  float menu = 0.0F;  // width of the menu's title, which is that of a chosen tab behind it
};

TabPlaces tabPlaces(const FrameContext& look, const std::vector<Tab>& tabs, float room, float gap) {
  float all = -gap;
  for (const Tab& tab : tabs) all += tabWidth(look, tab.title) + gap;
  if (all <= room) return {tabs.size(), 0.0F};
  TabPlaces places{tabs.size(), tabWidth(look, fmt::format("{}{}", tr(kMore), kMenuMark).c_str())};
  while (places.shown > 0) {
    const Tab& last = tabs[--places.shown];
    all -= tabWidth(look, last.title) + gap;
    places.menu =
        std::max(places.menu, tabWidth(look, fmt::format("{}{}", last.title, kMenuMark).c_str()));
    if (all + gap + places.menu <= room) break;
  }
  return places;
}

}  // namespace

int tabRow(const FrameContext& look, const char* id, const std::vector<Tab>& tabs, int chosen,
           const char* explanation, float kept) {
  if (tabs.size() == 1) {
    heading(look, tabs.front().title, explanation);
    return -1;
  }
  const float gap = look.px(18);
  const float rowHeight = fontSize(look.fonts.semibold) + look.space.thin;
  const float room = ImGui::GetContentRegionAvail().x - kept;
  const TabPlaces places = tabPlaces(look, tabs, room, gap);
  int clicked = -1;
  ImGui::PushID(id);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  float x = start.x;
  for (std::size_t i = 0; i < places.shown; ++i) {
    ImGui::SetCursorScreenPos({x, start.y});
    const bool isChosen = static_cast<int>(i) == chosen;
    if (tabItem(look, tabs[i], isChosen, rowHeight) && !isChosen) clicked = static_cast<int>(i);
    x += tabWidth(look, tabs[i].title) + gap;
  }
  if (places.shown < tabs.size()) {
    ImGui::SetCursorScreenPos({x, start.y});
    const bool behind = chosen >= static_cast<int>(places.shown);
    const Tab menu =
        behind ? tabs[static_cast<std::size_t>(chosen)] : Tab{tr(kMore), tr("the other tabs")};
    const bool opens = tabItem(look, menu, behind, rowHeight, kMenuMark);
    for (std::size_t i = places.shown; i < tabs.size(); ++i) noteControl(look, tabs[i].title);
    if (opens) openMenu("more tabs");
    if (beginPopup("more tabs")) {
      for (std::size_t i = places.shown; i < tabs.size(); ++i) {
        if (ImGui::MenuItem(tabs[i].title)) clicked = static_cast<int>(i);
      }
      ImGui::EndPopup();
    }
  } else if (explanation != nullptr && start.x + room - x > look.px(120)) {
    const float y = start.y + (rowHeight - fontSize(look.fonts.small)) * 0.65F;
    drawText(ImGui::GetWindowDrawList(), look.fonts.small, {x, y}, look.theme.textMuted,
             explanationIn(look, explanation, start.x + room - x));
  }
  ImGui::SetCursorScreenPos(start);
  ImGui::Dummy({room, rowHeight + look.space.tight});
  ImGui::PopID();
  return clicked;
}

}  // namespace headscope::ui
