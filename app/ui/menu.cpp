#include "app/ui/menu.h"

#include <imgui.h>
#include <imgui_internal.h>

namespace headscope::ui {

void openMenu(const char* id) {
  const ImVec2 below(ImGui::GetItemRectMin().x,
                     ImGui::GetItemRectMax().y + ImGui::GetStyle().ItemSpacing.y * 0.5F);
  ImGui::OpenPopup(id);
  GImGui->OpenPopupStack.back().OpenPopupPos = below;  // by default it is the mouse's position
}

}  // namespace headscope::ui
