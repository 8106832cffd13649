#include "app/ui/window_layout.h"

#include <algorithm>

#include "app/gl/scene.h"
#include "app/ui/compat.h"

namespace headscope::ui {
namespace {

gl::Rgba rgba(ImU32 color) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
  return {c.x, c.y, c.z, c.w};
}

}  // namespace

WindowLayout layoutWindow(const WindowSpace& space) {
  const auto px = [&](float length) { return length * space.scale; };
  const float width = space.display.x;
  const float top = space.topBarHeight > 0.0F ? space.topBarHeight : px(50);
  const float bodyTop = top + space.tokenRowHeight + space.offerHeight;
  const float status = space.display.y - px(28);
  WindowLayout w;
  w.topBar = {{0, 0}, {width, top}};
  w.tokens = Rect::at({0, top}, {width, space.tokenRowHeight});
  w.body = {{0, bodyTop}, {width, std::max(status, bodyTop + 1.0F)}};
  w.status = {{0, status}, space.display};
  return w;
}

bool isUpright(ImVec2 display, float scale) {
  constexpr float kWidest = 560.0F;  // points: from this width on, pages place cards side by side
  return display.x < kWidest * scale && display.x < display.y;
}

void beginRoot() {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(io.DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin("headscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(3);
}

void endRoot() { ImGui::End(); }

void beginBand(const char* id, const Rect& at, const FrameContext& look) {
  ImGui::SetCursorScreenPos(at.a);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, look.theme.panel);
  ImGui::BeginChild(id, at.size(), false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleColor();
}

void endBand(const Rect& at, const FrameContext& look) {
  const float y = at.b.y - 1.0F;
  ImGui::GetWindowDrawList()->AddLine({at.a.x, y}, {at.b.x, y}, look.theme.divider);
  ImGui::EndChild();
}

void beginBody(const Rect& at, ImVec2 content, const FrameContext& look, bool byWheel) {
  ImGui::SetCursorScreenPos(at.a);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, look.theme.window);
  const bool wider = content.x > at.width();
  ImGuiWindowFlags flags = wider ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_None;
  if (!byWheel) flags |= ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::BeginChild("body", at.size(), false, flags);
  ImGui::PopStyleColor();
  keepScrolledPlace();
  const ImVec2 origin = ImGui::GetCursorPos();
  ImGui::Dummy({content.x, content.y - 1.0F});
  ImGui::SetCursorPos(origin);
}

void endBody() { ImGui::EndChild(); }

void colorScene(gl::Scene& scene, const Theme& theme) {
  scene.hatch = rgba(theme.hatch);
  scene.maskedFill = rgba(theme.maskedFill);
  scene.gapColor = rgba(theme.panel);
}

}  // namespace headscope::ui
