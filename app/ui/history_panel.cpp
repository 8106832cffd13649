#include "app/ui/history_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/pins_list.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

class States {
 public:
  explicit States(const Panel& panel)
      : panel_(panel), look_(panel.look), history_(*panel.history) {}

  void draw(float height) {
    beginPart("states", {0, height});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look_.px(6), 0));
    showCurrent();
    const float line = lineHeight();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(history_.size()), line);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        row(static_cast<std::size_t>(i));
      }
    }
    ImGui::PopStyleVar();
    ImGui::EndChild();
  }

 private:
  float lineHeight() const { return fontSize(look_.fonts.regular) + look_.px(9); }

  /// Scrolls to the current state once it has become another.
  void showCurrent() {
    ImGuiStorage* seen = ImGui::GetStateStorage();
    const ImGuiID id = ImGui::GetID("current state");
    const int now = static_cast<int>(history_.position()) + 1;
    if (seen->GetInt(id) == now) return;
    seen->SetInt(id, now);
    const float line = lineHeight();
    const float at = line * static_cast<float>(now - 1);
    const float room = ImGui::GetWindowHeight();
    if (at < ImGui::GetScrollY() || at + line > ImGui::GetScrollY() + room) {
      ImGui::SetScrollY(std::max(0.0F, at - room * 0.5F));
    }
  }

  void row(std::size_t index) {
    const Theme& t = look_.theme;
    const float line = lineHeight();
    const bool current = index == history_.position();
    const bool undone = index > history_.position();
    ImGui::PushID(static_cast<int>(index));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const char* compare = "compare";
    const float button = current ? 0.0F : textSize(look_.fonts.small, compare).x + look_.px(14);
    const float room = width - button;
    if (ImGui::InvisibleButton("state", {room, line})) panel_.edits.jumpTo = index;
    const bool hovered = ImGui::IsItemHovered();
    const std::string& name = history_.nameAt(index);
    tip(look_, name + (current  ? "\nThe current state"
                       : undone ? "\nUndone: a click does it again"
                                : "\nA click goes back to the state after this"));
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end(at.x + width, at.y + line);
    if (current || hovered) {
      list->AddRectFilled(at, end, current ? t.accentSoft : t.field, look_.px(4));
    }
    if (current) list->AddRectFilled(at, {at.x + look_.px(3), end.y}, t.accent);
    ImFont* font = current ? look_.fonts.semibold : look_.fonts.regular;
    const float numberRoom = textSize(look_.fonts.monoSmall, std::to_string(history_.size())).x;
    const float y = at.y + (line - fontSize(font)) * 0.5F;
    const float left = at.x + look_.px(9);
    drawText(list, look_.fonts.monoSmall,
             {left, at.y + (line - fontSize(look_.fonts.monoSmall)) * 0.5F}, t.textMuted,
             std::to_string(index));
    const float x = left + numberRoom + look_.px(6);
    drawText(list, font, {x, y},
             current  ? t.accentText
             : undone ? withAlpha(t.textMuted, 0.65F)
                      : t.text,
             elided(font, name, at.x + room - x - look_.px(4)));
    if (!current) {
      ImGui::SameLine(0.0F, 0.0F);
      if (ImGui::InvisibleButton("compare", {button, line})) panel_.edits.compareWith = index;
      const bool on = ImGui::IsItemHovered();
      tip(look_, "Shows what differs between this state and the present one");
      drawTextCentred(list, look_.fonts.small, {at.x + room + button * 0.5F, at.y + line * 0.5F},
                      on ? t.accentText : t.textMuted, compare);
    }
    ImGui::PopID();
  }

  const Panel& panel_;
  const Look& look_;
  const History& history_;
};

std::string megabytes(Index bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / static_cast<double>(Index{1} << 20));
}

}  // namespace

void historyPanel(const Panel& panel) {
  const Look& look = panel.look;
  const History& history = *panel.history;
  const std::size_t count = history.size() - 1;
  label(look.fonts.small, look.theme.textMuted,
        elided(look.fonts.small,
               fmt::format(
                   "{} edit{} · {} of {:.0f} MB held", count, count == 1 ? "" : "s",
                   megabytes(history.bytesHeld()),
                   static_cast<double>(history.budget()) / static_cast<double>(Index{1} << 20)),
               ImGui::GetContentRegionAvail().x));
  tip(look,
      "The states before an edit are kept as what sets them apart. When they take more than this, "
      "the oldest are given up.");
  const float room = ImGui::GetContentRegionAvail().y;
  const float pins = pinsListHeight(panel, room * 0.45F);
  States(panel).draw(room - pins - (pins > 0.0F ? ImGui::GetStyle().ItemSpacing.y : 0.0F));
  if (pins > 0.0F) pinsList(panel, pins);
}

}  // namespace headscope::ui
