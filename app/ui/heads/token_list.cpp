#include "app/ui/heads/token_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

std::optional<Index> queryList(const Panel& panel, TokenListMemory& memory, Index chosen,
                               ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const auto& names = laneTokens(panel.trace, Lane::query, panel.view.item);
  std::optional<Index> clicked;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float title = fontSize(look.fonts.small) + look.px(3);
  drawText(ImGui::GetWindowDrawList(), look.fonts.small, at, t.queryText, "query");
  ImGui::SetCursorScreenPos({at.x, at.y + title});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  beginPart("queries", {size.x, std::max(size.y - title, look.px(16))});
  const float row = fontSize(look.fonts.small) + look.px(5);
  if (memory.shown != chosen) {
    const float y = static_cast<float>(chosen) * row;
    const float top = ImGui::GetScrollY();
    const float room = ImGui::GetWindowSize().y;
    if (y < top || y + row > top + room) ImGui::SetScrollY(std::max(0.0F, y - room * 0.5F));
    memory.shown = chosen;
  }
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(panel.trace.config().seqLen), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const std::string name =
          place < names.size() ? std::string(shownToken(names[place])) : fmt::format("query {}", i);
      const bool lit = i == chosen;
      const ImVec2 corner = ImGui::GetCursorScreenPos();
      ImGui::PushID(i);
      if (ImGui::Selectable("##query", lit, 0, {width, row}) && !lit) {
        clicked = i;
        memory.shown = i;  // it is in view
      }
      ImGui::PopID();
      drawText(list, look.fonts.small, {corner.x + look.px(5), corner.y + look.px(2)},
               lit ? t.queryText : t.text, elided(look.fonts.small, name, width - look.px(8)));
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  return clicked;
}

}  // namespace headscope::ui
