#include "app/host/headless.h"

#include <utility>

namespace headscope::host {

Headless::Headless(int width, int height, LoadedFonts fonts) : session_(std::move(fonts)) {
  ImGuiIO& io = ImGui::GetIO();
  ui::prepareInjectedInput(io);
  io.BackendPlatformName = "headless";
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as in the window with OpenGL 3.3
  resize(width, height);
  moveMouse({-1.0F, -1.0F});
}

void Headless::resize(int width, int height) {
  ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
}

void Headless::frame(App& app) {
  const double waited = std::exchange(waited_, 0.0);
  ImGui::GetIO().DeltaTime = static_cast<float>(frameTime_ + waited);
  now_ += waited;
  session_.frame(app, now_);
  now_ += frameTime_;
}

void Headless::frames(App& app, int count) {
  for (int i = 0; i < count; ++i) frame(app);
}

InputQueue& Headless::input() {
  session_.input().setTime(now() - frameTime_, now());
  return session_.input();
}

void Headless::moveMouse(ImVec2 position) { input().addMousePosition(position); }
void Headless::button(int button, bool down) { input().addMouseButton(button, down); }
void Headless::wheel(float lines) { input().addWheel({0.0F, lines}); }
void Headless::key(ui::Key key, bool down) {
  const KeyAction action = down ? KeyAction::press : KeyAction::release;
  input().addKey({static_cast<int>(key), 0, action, mods_});
}
void Headless::repeatKey(ui::Key key) {
  input().addKey({static_cast<int>(key), 0, KeyAction::repeat, mods_});
}
void Headless::modifiers(bool ctrl, bool shift, bool alt) {
  mods_ = (ctrl ? kModCtrl : 0) | (shift ? kModShift : 0) | (alt ? kModAlt : 0);
  input().addKey({0, 0, KeyAction::release, mods_});
}
void Headless::text(const std::string& utf8) { input().addText(utf8); }

/// Builds the frames that the queued input still needs, and one that shows its effect.
void Headless::finishGesture(App& app) {
  do {
    frame(app);
  } while (session_.input().waiting());
  frame(app);
}

void Headless::click(App& app, ImVec2 position, int which) {
  moveMouse(position);
  frames(app, 2);  // the second frame knows the hovered item
  button(which, true);
  frame(app);
  button(which, false);
  finishGesture(app);
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
  finishGesture(app);
}

void Headless::press(App& app, ui::Key which, bool ctrl, bool shift, bool alt) {
  modifiers(ctrl, shift, alt);
  key(which, true);
  frame(app);
  key(which, false);
  modifiers(false);
  finishGesture(app);
}

void Headless::type(App& app, const std::string& utf8) {
  text(utf8);
  finishGesture(app);
}

}  // namespace headscope::host
