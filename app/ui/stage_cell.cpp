#include "app/ui/stage_cell.h"

#include <algorithm>

#include "app/ui/cell_menu.h"
#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
void stageTyping(const Panel& panel, CellEditing& editing, ImVec2 a, ImVec2 b) {
  const Look& look = panel.look;
  const float width = std::max(b.x - a.x, look.px(96));  // no narrower than a number
  const float height = ImGui::GetFrameHeight();
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 high(low.x + ImGui::GetWindowSize().x, low.y + ImGui::GetWindowSize().y);
  const ImVec2 at(std::clamp((a.x + b.x - width) * 0.5F, low.x, std::max(high.x - width, low.x)),
                  std::clamp((a.y + b.y - height) * 0.5F, low.y, std::max(high.y - height, low.y)));
  editing.fieldA = at;
  editing.fieldB = {at.x + width, at.y + height};
  ImGui::GetWindowDrawList()->AddRectFilled({at.x - 1, at.y - 1},
                                            {editing.fieldB.x + 1, editing.fieldB.y + 1},
                                            look.theme.panel, look.px(5));
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(at);
  typingField(panel, editing, width);
  ImGui::SetCursorScreenPos(cursor);
}

bool overStageTyping(const CellEditing& editing) {
  return editing.typing == TypingPlace::stage &&
         ImGui::IsMouseHoveringRect(editing.fieldA, editing.fieldB);
}

void stageCell(const Panel& panel, CellEditing& editing, const StageCell& shown) {
  const Look& look = panel.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float around = look.px(4);
  list->AddRect({shown.matrixA.x - around, shown.matrixA.y - around},
                {shown.matrixB.x + around, shown.matrixB.y + around}, look.theme.accent, look.px(4),
                0, look.px(1.5F));
  const CellAccess access = cellAccess(panel.trace, shown.cell);
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  if (access.editable() && shown.draggable && editing.typing != TypingPlace::stage) {
    ImGui::SetCursorScreenPos(shown.a);
    const ImVec2 size(std::max(shown.b.x - shown.a.x, 1.0F), std::max(shown.b.y - shown.a.y, 1.0F));
    pictureArea("chosen cell", size);
    dragCell(panel, editing, access, shown.magnitude, {0.0F, -1.0F});
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    }
    if (shown.underMouse) scrollCell(panel, editing, access, shown.magnitude);
  }
  if (editing.menu.asked) {
    const ImVec2 below(shown.a.x, shown.b.y + around);
    openCellMenu(panel, editing.menu, shown.cell, &below);
    editing.menu.asked = false;
  }
  ImGui::SetCursorScreenPos(cursor);
}

}  // namespace headscope::ui
