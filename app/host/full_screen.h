// Full screen: a window over the whole of the monitor it is on, and back to where it was.
#pragma once

struct GLFWwindow;

namespace headscope::host {

class FullScreen {
 public:
  explicit FullScreen(GLFWwindow* window) : window_(window) {}

  void set(bool on);

 private:
  GLFWwindow* window_;
  bool on_ = false;
  int x_ = 0, y_ = 0, width_ = 0, height_ = 0;  // of the window before
};

}  // namespace headscope::host
