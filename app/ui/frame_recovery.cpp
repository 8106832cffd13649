#include "app/ui/frame_recovery.h"

#include <utility>

namespace headscope::ui {

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
  while (!GImGui->FontStack.empty()) ImGui::PopFont();  // which windows must not end with
  ImGui::ErrorCheckEndFrameRecover(nullptr);
#endif
}

}  // namespace headscope::ui
