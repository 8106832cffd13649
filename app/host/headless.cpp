#include "app/host/headless.h"

#include "app/ui/text_field.h"

namespace headscope::host {
namespace {

constexpr double kFrameTime = 1.0 / 60.0;

}  // namespace

Headless::Headless(int width, int height) {
  ImGuiIO& io = ImGui::GetIO();
  ui::prepareInjectedInput(io);
  io.BackendPlatformName = "headless";
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the window's, with OpenGL 3.3
  resize(width, height);
  moveMouse({-1.0F, -1.0F});
}

void Headless::resize(int width, int height) {
  ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
}

void Headless::frame(App& app) {
  ImGui::GetIO().DeltaTime = static_cast<float>(kFrameTime);
  session_.frame(app, now_);
  now_ += kFrameTime;
}

void Headless::frames(App& app, int count) {
  for (int i = 0; i < count; ++i) frame(app);
}

void Headless::moveMouse(ImVec2 position) { ui::injectMousePosition(ImGui::GetIO(), position); }
void Headless::button(int button, bool down) {
  ui::injectMouseButton(ImGui::GetIO(), button, down);
}
void Headless::wheel(float lines) { ui::injectWheel(ImGui::GetIO(), lines); }
void Headless::key(ui::Key key, bool down) { ui::injectKey(ImGui::GetIO(), key, down); }
void Headless::modifiers(bool ctrl, bool shift, bool alt) {
  ui::injectModifiers(ImGui::GetIO(), ctrl, shift, alt);
}

void Headless::click(App& app, ImVec2 position, int which) {
  moveMouse(position);
  frames(app, 2);  // hovering is known in the second
  button(which, true);
  frame(app);
  button(which, false);
  frames(app, 2);
}

void Headless::drag(App& app, ImVec2 from, ImVec2 to) {
  constexpr int kMoves = 8;
  moveMouse(from);
  frames(app, 2);
  button(0, true);
  frame(app);
  for (int i = 1; i <= kMoves; ++i) {
    const float t = static_cast<float>(i) / kMoves;
    moveMouse({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t});
    frame(app);
  }
  button(0, false);
  frames(app, 2);
}

void Headless::press(App& app, ui::Key which, bool ctrl, bool shift) {
  modifiers(ctrl, shift);
  key(which, true);
  frame(app);
  key(which, false);
  modifiers(false);
  frames(app, 2);
}

void Headless::type(App& app, const std::string& utf8) {
  ui::typeText(utf8);
  frames(app, 2);
}

}  // namespace headscope::host
