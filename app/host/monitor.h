// Monitor: its scale, the interface scale that follows from it, and a full-screen window.
#pragma once

struct GLFWmonitor;
struct GLFWwindow;

namespace headscope::host {

/// The interface scale for a content scale: a multiple of 0.25 within the interface's limits.
float interfaceScale(float contentScale);

/// The content scale that the window system gives for a monitor. Where it gives none (1) for a
/// monitor of many pixels, such as one of 3840 × 2160, the scale at which a window shows as much as
/// on a monitor of 1920 × 1080. Null: 1.
float scaleOf(GLFWmonitor* monitor);
/// The scale of a monitor from its content scale and its size in pixels.
float scaleFrom(float contentScale, int width, int height);

/// The interface scale after a move between monitors of these content scales; it keeps the user's
/// own factor.
float rescaled(float scale, float before, float now);

/// monitorOf() returns the monitor that a window is on; otherMonitor() another one if there is
/// one, else the same. Null: no monitor is known.
GLFWmonitor* monitorOf(GLFWwindow* window);
GLFWmonitor* otherMonitor(GLFWwindow* window);

/// Makes a window fill its monitor, and restores its position.
class FullScreen {
 public:
  explicit FullScreen(GLFWwindow* window) : window_(window) {}

  void set(bool on);
  /// The window's size outside of full screen.
  void size(int& width, int& height) const;

 private:
  GLFWwindow* window_;
  bool on_ = false;
  int x_ = 0, y_ = 0, width_ = 0, height_ = 0;  // the window's previous position and size
};

}  // namespace headscope::host
