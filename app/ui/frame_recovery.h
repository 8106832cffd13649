// Frame recovery: restores the state of Dear ImGui after the building of a frame was broken off.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

namespace headscope::ui {

class FrameRecovery {
 public:
  /// Construct it between ImGui::NewFrame() and the frame's first window.
  FrameRecovery();

  /// Ends every window, group and style begun since construction, so that the frame can be
  /// rendered.
  void recover() const;

#if IMGUI_VERSION_NUM >= 19130
 private:
  ImGuiErrorRecoveryState state_;
#endif
};

}  // namespace headscope::ui
