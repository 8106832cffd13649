#include "app/ui/window_layout.h"

#include <algorithm>

namespace headscope::ui {
namespace {

gl::Rgba rgba(ImU32 color) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
  return {c.x, c.y, c.z, c.w};
}

}  // namespace

WindowLayout layoutWindow(const WindowSpace& space) {
  const auto px = [&](float length) { return length * space.scale; };
  WindowLayout w;
  const float width = space.display.x;
  const float top = space.topBarHeight > 0.0F ? space.topBarHeight : px(50);
  const float status = px(28);
  w.topBar = {{0, 0}, {width, top}};
  w.tokens = {{0, top}, {width, space.tokenRowHeight}};
  const float bodyTop = top + space.tokenRowHeight + space.offerHeight;
  w.body = {{0, bodyTop}, {width, std::max(space.display.y - bodyTop - status, 1.0F)}};
  w.status = {{0, space.display.y - status}, {width, status}};

  // below these the body scrolls instead of squeezing its panels
  const ImVec2 least(px(960), px(520));
  w.content = {std::max(width, least.x), std::max(w.body.size.y, least.y)};

  const float margin = px(14);
  const float gap = px(10);
  const ImVec2 inner(w.content.x - 2 * margin, w.content.y - margin - px(2));
  const float heads = std::clamp(inner.y * 0.2F, px(108), px(158));
  const float upper = inner.y - heads - gap;
  const float steps = std::clamp(inner.x * 0.165F, px(238), px(264));
  const bool wide = inner.x >= px(1180);
  const float inspector = wide ? std::clamp(inner.x * 0.21F, px(262), px(340)) : 0.0F;
  const float middleLeft = margin + steps + gap;
  const float middle = inner.x - steps - gap - (wide ? inspector + gap : 0.0F);
  const float tools = space.tallTools ? std::clamp(upper * 0.52F, px(210), px(620))
                                      : std::clamp(upper * 0.44F, px(176), px(460));

  w.steps = {{margin, margin}, {steps, upper}};
  w.tools = {{middleLeft, margin}, {middle, tools}};
  w.stage = {{middleLeft, margin + tools + gap}, {middle, upper - tools - gap}};
  if (wide) w.inspector = {{margin + inner.x - inspector, margin}, {inspector, upper}};
  w.heads = {{margin, margin + upper + gap}, {inner.x, heads}};
  return w;
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

void beginBand(const char* id, const Box& box, const Look& look) {
  ImGui::SetCursorScreenPos(box.at);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, look.theme.panel);
  ImGui::BeginChild(id, box.size, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleColor();
}

void endBand(const Box& box, const Look& look) {
  const float y = box.at.y + box.size.y - 1.0F;
  ImGui::GetWindowDrawList()->AddLine({box.at.x, y}, {box.at.x + box.size.x, y},
                                      look.theme.divider);
  ImGui::EndChild();
}

void beginBody(const WindowLayout& layout, const Look& look, bool byWheel) {
  ImGui::SetCursorScreenPos(layout.body.at);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, look.theme.window);
  const bool wider = layout.content.x > layout.body.size.x;
  ImGuiWindowFlags flags = wider ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_None;
  if (!byWheel) flags |= ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::BeginChild("body", layout.body.size, false, flags);
  ImGui::PopStyleColor();
  const ImVec2 origin = ImGui::GetCursorPos();
  ImGui::Dummy({layout.content.x, layout.content.y - 1.0F});
  ImGui::SetCursorPos(origin);
}

void endBody() { ImGui::EndChild(); }

void colorScene(gl::Scene& scene, const Theme& theme) {
  scene.hatch = rgba(theme.hatch);
  scene.maskedFill = rgba(theme.maskedFill);
  scene.gapColor = rgba(theme.panel);
}

}  // namespace headscope::ui
