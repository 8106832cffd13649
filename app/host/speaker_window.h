// Speaker window: a second window for who gives a lecture, on another screen where there is one. It
// shares the first one's fonts and OpenGL objects, and hands its keys to it, so that the same keys
// work in both.
#pragma once

#include <imgui.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "app/app.h"

struct GLFWwindow;

namespace headscope::host {

class SpeakerWindow {
 public:
  /// What the first window does with what happens here.
  struct Events {
    std::function<void()> any;  // something is to be drawn anew
    std::function<void(int key, int scancode, int action, int mods)> key;
    std::function<void()> closed;  // a key held in it goes up where nobody is told
  };

  /// `first` has the GL context that this one's shares, and outlives it.
  SpeakerWindow(GLFWwindow* first, Events events) : first_(first), events_(std::move(events)) {}
  ~SpeakerWindow();
  SpeakerWindow(const SpeakerWindow&) = delete;
  SpeakerWindow& operator=(const SpeakerWindow&) = delete;

  /// Before a frame: opens or closes it as the program wants, which is told where that cannot be.
  void follow(App& app);
  /// After the first window was drawn: draws what the frame has put into the list.
  void paint();

 private:
  std::string open(float scale);
  void close();

  GLFWwindow* first_;
  Events events_;
  GLFWwindow* window_ = nullptr;
  std::unique_ptr<ImDrawList> list_;
};

}  // namespace headscope::host
