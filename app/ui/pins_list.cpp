#include "app/ui/pins_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/steps/step.h"
#include "core/words/arithmetic.h"

namespace headscope::ui {
namespace {

float lineHeight(const Look& look) {
  return fontSize(look.fonts.regular) + fontSize(look.fonts.monoSmall) + look.px(9);
}
float headHeight(const Look& look) { return ImGui::GetFrameHeight() + look.px(10); }

/// Selects the cell and opens the step that gives it.
void goTo(ViewState& view, const CellRef& cell) {
  view.item = cell.item;
  view.head = cell.head;
  view.step = stepGiving(cell.tensor).id();
  view.scope = StageScope::thisHead;
  view.playing = false;
  view.selected = cell;
}

void row(const Panel& panel, const Pin& pin) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const float line = lineHeight(look);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float button = textSize(look.fonts.small, "remove").x + look.px(14);
  const float room = width - button;
  const bool there = exists(pin.cell, panel.trace.config());  // the trace may be older
  if (ImGui::InvisibleButton("pin", {room, line}) && there) goTo(panel.view, pin.cell);
  const bool hovered = ImGui::IsItemHovered();
  tip(look, toString(pin) + "\nA click goes to the cell");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool chosen = panel.view.selected && *panel.view.selected == pin.cell;
  if (hovered || chosen) {
    list->AddRectFilled(at, {at.x + width, at.y + line}, chosen ? t.accentSoft : t.field,
                        look.px(4));
  }
  std::string name = there ? cellName(panel.trace, pin.cell) : toString(pin.cell);
  name += fmt::format(" · head {}", pin.cell.head + 1);
  if (panel.document.config.batch > 1) name += fmt::format(" · item {}", pin.cell.item + 1);
  const float x = at.x + look.px(6);
  drawText(list, look.fonts.regular, {x, at.y + look.px(2)}, t.text,
           elided(look.fonts.regular, name, room - look.px(10)));
  std::string values = number(pin.value, 6);
  if (there) {
    values +=
        fmt::format(", computed {}", number(explainCell(panel.trace, pin.cell).computed(), 6));
  }
  drawText(list, look.fonts.monoSmall, {x, at.y + fontSize(look.fonts.regular) + look.px(5)},
           t.textMuted, elided(look.fonts.monoSmall, values, room - look.px(10)));
  ImGui::SameLine(0.0F, 0.0F);
  if (ImGui::InvisibleButton("remove", {button, line})) panel.edits.push(RemovePin{pin.cell});
  drawTextCentred(list, look.fonts.small, {at.x + room + button * 0.5F, at.y + line * 0.5F},
                  ImGui::IsItemHovered() ? t.bad : t.textMuted, "remove");
}

}  // namespace

float pinsListHeight(const Panel& panel, float most) {
  const auto count = static_cast<float>(panel.document.pins.all().size());
  if (count == 0.0F) return 0.0F;
  return std::min(most, headHeight(panel.look) + count * lineHeight(panel.look) + panel.look.px(4));
}

void pinsList(const Panel& panel, float height) {
  const Look& look = panel.look;
  const std::vector<Pin>& pins = panel.document.pins.all();
  beginPart("pins", {0, height}, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(top, {top.x + ImGui::GetContentRegionAvail().x, top.y},
                                      look.theme.divider);
  ImGui::SetCursorScreenPos({top.x, top.y + look.px(6)});
  inlineLabel(look, look.fonts.semibold, look.theme.text,
              fmt::format("{} pinned cell{}", pins.size(), pins.size() == 1 ? "" : "s"));
  ImGui::SameLine(0.0F, look.px(10));
  if (pill(look, "remove all")) panel.edits.push(RemoveAllPins{});
  tip(look, "All of them are computed again; undo brings them back");
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(6), 0));
  beginPart("pinned", {0, 0});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(pins.size()), lineHeight(look));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      row(panel, pins[static_cast<std::size_t>(i)]);
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

}  // namespace headscope::ui
