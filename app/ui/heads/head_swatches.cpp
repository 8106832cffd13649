#include "app/ui/heads/head_swatches.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/heads/chosen_lines.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kWidth = 20.0F;
constexpr float kHeight = 18.0F;
constexpr float kGap = 3.0F;

Index inARow(const Look& look, float width) {
  const float each = look.px(kWidth + kGap);
  return std::max<Index>(1, static_cast<Index>((width + look.px(kGap)) / each));
}

}  // namespace

ImVec2 swatchesSize(const Look& look, Index heads, float width, Index mostRows) {
  const Index whole = inARow(look, width);
  const float pitch = look.px(kWidth + kGap);
  if (heads <= whole) {
    return {static_cast<float>(heads) * pitch - look.px(kGap), look.px(kHeight + 2)};
  }
  const Index rows = std::min((heads + whole - 1) / whole, mostRows);
  return {width, static_cast<float>(rows) * look.px(kHeight + kGap)};
}

void headSwatches(const Panel& panel, const std::vector<Index>& drawn, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const Index heads = panel.trace.config().numHeads;
  const float scrollBar = ImGui::GetStyle().ScrollbarSize;
  const bool oneRow = heads <= inARow(look, size.x + 1.0F);
  const Index row = inARow(look, oneRow ? size.x + 1.0F : size.x - scrollBar);
  beginPart("swatches", size, oneRow ? ImGuiWindowFlags_NoScrollbar : 0);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 each(look.px(kWidth), look.px(kHeight));
  for (Index h = 0; h < heads; ++h) {
    const ImVec2 a(origin.x + static_cast<float>(h % row) * look.px(kWidth + kGap),
                   origin.y + static_cast<float>(h / row) * look.px(kHeight + kGap));
    const ImVec2 b(a.x + each.x, a.y + each.y);
    const bool on = std::binary_search(drawn.begin(), drawn.end(), h);
    const ImU32 color = headColor(t, static_cast<std::size_t>(h));
    ImGui::SetCursorScreenPos(a);
    ImGui::PushID(static_cast<int>(h));
    if (ImGui::InvisibleButton("swatch", each)) {
      toggleLines(panel.view.heads, panel.view.head, h, heads, ImGui::GetIO().KeyCtrl);
    }
    const bool hovered = ImGui::IsItemHovered();
    tip(look,
        fmt::format("Head {}: {} its lines; with ctrl only its", h + 1, on ? "take away" : "draw"));
    ImGui::PopID();
    list->AddRectFilled(a, b, on ? color : hovered ? t.fieldHover : t.field, look.px(5));
    if (h == panel.view.head) list->AddRect(a, b, on ? t.text : color, look.px(5), 0, look.px(1));
    drawTextCentred(list, look.fonts.tiny, {(a.x + b.x) * 0.5F, (a.y + b.y) * 0.5F},
                    on ? legibleOn(color) : t.textMuted, fmt::format("{}", h + 1));
  }
  ImGui::EndChild();
}

}  // namespace headscope::ui
