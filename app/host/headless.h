// Headless: a host without window and GPU. It runs the real frame function with synthetic input.
// Tests use it directly; `Offscreen` draws its frames.
#pragma once

#include <imgui.h>

#include <string>

#include "app/app.h"
#include "app/host/imgui_session.h"
#include "app/ui/compat.h"

namespace headscope::host {

class Headless {
 public:
  Headless(int width, int height, LoadedFonts fonts = {});

  void resize(int width, int height);
  /// Builds one frame, then advances the clock by the frame time, 1/60 second or as set.
  void frame(App& app);
  void setFrameTime(double seconds) { frameTime_ = seconds; }
  void frames(App& app, int count);
  /// Lets time pass before the next frame, for animations.
  void advance(double seconds) { waited_ += seconds; }
  double now() const { return now_ + waited_; }

  // Input during the previous frame, in order.
  void moveMouse(ImVec2 position);
  void button(int button, bool down);
  void wheel(float lines);
  void key(ui::Key key, bool down);
  /// Repeats a key as the window system does while it is held.
  void repeatKey(ui::Key key);
  void modifiers(bool ctrl, bool shift = false, bool alt = false);
  void text(const std::string& utf8);

  // Whole gestures, including the frames that they need.
  void click(App& app, ImVec2 position, int button = 0);
  void drag(App& app, ImVec2 from, ImVec2 to);
  void press(App& app, ui::Key key, bool ctrl = false, bool shift = false, bool alt = false);
  void type(App& app, const std::string& utf8);

  ImGuiSession& session() { return session_; }

 private:
  InputQueue& input();
  void finishGesture(App& app);

  ImGuiSession session_;
  double now_ = 0.0;
  double frameTime_ = 1.0 / 60.0;
  double waited_ = 0.0;  // seconds since the last frame, beyond that time
  int mods_ = 0;
};

}  // namespace headscope::host
