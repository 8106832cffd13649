// Frame recovery: Dear ImGui put in order again where the building of a frame was broken off.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

namespace headscope::ui {

class FrameRecovery {
 public:
  /// Between ImGui::NewFrame() and the frame's first window.
  FrameRecovery();

  /// Ends every window, group and style that was begun since, so that the frame can be rendered.
  void recover() const;

#if IMGUI_VERSION_NUM >= 19130
 private:
  ImGuiErrorRecoveryState state_;
#endif
};

}  // namespace headscope::ui
