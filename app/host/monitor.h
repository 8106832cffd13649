// Monitor: how much larger than usual it shows things, and the interface that follows; and a window
// over the whole of it.
#pragma once

struct GLFWmonitor;
struct GLFWwindow;

namespace headscope::host {

/// By quarters, within what the interface offers.
float interfaceScale(float contentScale);

/// The interface's scale once its window has come from a monitor of one content scale to another:
/// what the user has made larger or smaller stays so.
float rescaled(float scale, float before, float now);

/// The monitor that a window is on; another one, where there is one, else the same; null: none is
/// known.
GLFWmonitor* monitorOf(GLFWwindow* window);
GLFWmonitor* monitorBeside(GLFWwindow* window);

/// A window over the whole of the monitor it is on, and back to where it was.
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
