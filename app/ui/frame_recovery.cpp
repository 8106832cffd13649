#include "app/ui/frame_recovery.h"

#include <utility>

namespace headscope::ui {

#if IMGUI_VERSION_NUM < 19130
namespace {

/// Ends the tables of the current window. Dear ImGui ends them with the rest, but requires their id
/// and their window's styles on top of the stacks.
void endTables() {
  const ImGuiContext& g = *GImGui;
  while (const ImGuiTable* table = g.CurrentTable) {
    const ImGuiID id = table->ID + static_cast<ImGuiID>(table->InstanceCurrent);
    while (table->InnerWindow->IDStack.back() != id) ImGui::PopID();
    if (table->InnerWindow != table->OuterWindow) {
      const ImGuiStackSizes& sizes = g.CurrentWindowStack.back().StackSizesOnBegin;
      ImGui::PopStyleColor(g.ColorStack.Size - sizes.SizeOfColorStack);
      ImGui::PopStyleVar(g.StyleVarStack.Size - sizes.SizeOfStyleVarStack);
    }
    ImGui::EndTable();
  }
}

}  // namespace
#endif

FrameRecovery::FrameRecovery() {
#if IMGUI_VERSION_NUM >= 19130
  ImGui::ErrorRecoveryStoreState(&state_);
#endif
}

void FrameRecovery::recover() const {
#if IMGUI_VERSION_NUM >= 19130
  ImGuiIO& io = ImGui::GetIO();
  const bool asserts = std::exchange(io.ConfigErrorRecoveryEnableAssert, false);
  const bool tooltip = std::exchange(io.ConfigErrorRecoveryEnableTooltip, false);
  ImGui::ErrorRecoveryTryToRecoverState(&state_);
  io.ConfigErrorRecoveryEnableAssert = asserts;
  io.ConfigErrorRecoveryEnableTooltip = tooltip;
#else
  while (!GImGui->FontStack.empty()) ImGui::PopFont();  // a window must not end with pushed fonts
  while (GImGui->CurrentWindowStack.Size > 1) {
    endTables();
    ImGui::ErrorCheckEndWindowRecover(nullptr);
    const bool child = (GImGui->CurrentWindow->Flags & ImGuiWindowFlags_ChildWindow) != 0;
    child ? ImGui::EndChild() : ImGui::End();
  }
  ImGui::ErrorCheckEndFrameRecover(nullptr);
#endif
}

}  // namespace headscope::ui
