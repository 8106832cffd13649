#include "app/ui/modal.h"

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"

namespace headscope::ui {
namespace {

constexpr float kMargins = 16.0F;  // both sides together, in points
constexpr float kPaddingX = 18.0F;
constexpr float kPaddingY = 14.0F;

}  // namespace

bool beginModal(const FrameContext& look, const ModalFrame& frame, bool appears) {
  if (appears) ImGui::OpenPopup(frame.id);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float margins = look.px(kMargins);
  const float width = std::min(look.px(frame.width), display.x - margins);
  const float top = frame.growsDown ? display.y * frame.height : margins * 0.5F;
  ImGui::SetNextWindowPos({display.x * 0.5F, display.y * frame.height}, ImGuiCond_Always,
                          {0.5F, frame.growsDown ? 0.0F : frame.height});
  ImGui::SetNextWindowSizeConstraints({width, 0.0F}, {width, display.y - top - margins * 0.5F});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(kPaddingX), look.px(kPaddingY)));
  const bool visible = ImGui::BeginPopupModal(
      frame.id, nullptr,
      ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PopStyleVar();
  // ImGui measures a window in its first frame, and draws it in the next
  if (appears || (visible && ImGui::IsWindowAppearing())) *look.wantsFrame = true;
  return visible;
}

void endModal(bool closes) {
  if (closes) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

float modalRoom(const FrameContext& look) {
  return ImGui::GetIO().DisplaySize.y - look.px(kMargins + 2 * kPaddingY);
}

}  // namespace headscope::ui
