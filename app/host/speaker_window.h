// Speaker window: a second window for the lecturer, on another screen if there is one. It shares
// the first window's fonts and OpenGL objects and forwards its keys to it, so that the keys work in
// both.
#pragma once

#include <imgui.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/app.h"
#include "app/gl/objects.h"

struct GLFWwindow;

namespace headscope::host {

class SpeakerWindow {
 public:
  /// The first window's handlers for events of this window.
  struct Events {
    std::function<void()> any;  // a redraw is needed
    std::function<void(int key, int scancode, int action, int mods)> key;
    std::function<void()> closed;  // closed; the release of a held key is not reported
  };

  /// `first` owns the GL context that this window's context shares, and outlives it.
  SpeakerWindow(GLFWwindow* first, Events events) : first_(first), events_(std::move(events)) {}
  ~SpeakerWindow();
  SpeakerWindow(const SpeakerWindow&) = delete;
  SpeakerWindow& operator=(const SpeakerWindow&) = delete;

  /// Opens or closes the window as the program wants, and reports a failure to it. Call it before
  /// each frame.
  void follow(App& app);
  /// Draws the list that the frame has filled. Call it after drawing the first window.
  void paint();
  /// Draws the next slide offscreen and sets its picture, if the program asks for it. Call it after
  /// painting: it takes a moment.
  void drawNextSlide(App& app, const std::filesystem::path& shaderDir);

 private:
  std::string open(float scale);
  void close();

  GLFWwindow* first_;
  Events events_;
  GLFWwindow* window_ = nullptr;
  std::unique_ptr<ImDrawList> list_;
  std::optional<gl::Texture> slide_;
};

}  // namespace headscope::host
