#include "app/host/monitor.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>

#include "app/ui/preferences.h"

namespace headscope::host {

float interfaceScale(float contentScale) {
  const float quarters = std::round(4.0F * contentScale) / 4.0F;
  return quarters > ui::kMinScale ? std::min(quarters, ui::kMaxScale) : ui::kMinScale;
}

float scaleFrom(float contentScale, int width, int height) {
  constexpr float kUsualWidth = 1920.0F, kUsualHeight = 1080.0F;
  constexpr float kMany = 1.5F;  // below it, texts of the usual size are still large enough
  const float fits =
      std::min(static_cast<float>(width) / kUsualWidth, static_cast<float>(height) / kUsualHeight);
  return contentScale > ui::kMinScale || fits < kMany ? contentScale : fits;
}

float scaleOf(GLFWmonitor* monitor) {
  if (monitor == nullptr) return 1.0F;
  float x = 1.0F;
  float y = 1.0F;
  glfwGetMonitorContentScale(monitor, &x, &y);
  const GLFWvidmode* mode = glfwGetVideoMode(monitor);
  return mode == nullptr ? x : scaleFrom(x, mode->width, mode->height);
}

float rescaled(float scale, float before, float now) {
  return interfaceScale(scale * interfaceScale(now) / interfaceScale(before));
}

namespace {

/// Returns the length of the overlap of two intervals.
int shared(int a, int aLength, int b, int bLength) {
  return std::max(0, std::min(a + aLength, b + bLength) - std::max(a, b));
}

}  // namespace

GLFWmonitor* monitorOf(GLFWwindow* window) {
  if (GLFWmonitor* whole = glfwGetWindowMonitor(window)) return whole;
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  glfwGetWindowPos(window, &x, &y);
  glfwGetWindowSize(window, &width, &height);
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  GLFWmonitor* chosen = glfwGetPrimaryMonitor();
  int most = 0;
  for (int i = 0; i < count; ++i) {
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    int left = 0;
    int top = 0;
    glfwGetMonitorPos(monitors[i], &left, &top);
    if (mode == nullptr) continue;
    const int area = shared(x, width, left, mode->width) * shared(y, height, top, mode->height);
    if (area > most) {
      most = area;
      chosen = monitors[i];
    }
  }
  return chosen;
}

GLFWmonitor* otherMonitor(GLFWwindow* window) {
  GLFWmonitor* own = monitorOf(window);
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    if (monitors[i] != own) return monitors[i];
  }
  return own;
}

void FullScreen::size(int& width, int& height) const {
  if (!on_) return glfwGetWindowSize(window_, &width, &height);
  width = width_;
  height = height_;
}

void FullScreen::set(bool on) {
  if (on == on_) return;
  if (!on) {
    glfwSetWindowMonitor(window_, nullptr, x_, y_, width_, height_, GLFW_DONT_CARE);
    on_ = false;
    return;
  }
  glfwGetWindowPos(window_, &x_, &y_);
  glfwGetWindowSize(window_, &width_, &height_);
  GLFWmonitor* chosen = monitorOf(window_);
  const GLFWvidmode* mode = chosen != nullptr ? glfwGetVideoMode(chosen) : nullptr;
  if (mode == nullptr) return;  // no monitor is known: the panel fills the window only
  // focusing another window must not minimize the lecture
  glfwSetWindowAttrib(window_, GLFW_AUTO_ICONIFY, GLFW_FALSE);
  glfwSetWindowMonitor(window_, chosen, 0, 0, mode->width, mode->height, mode->refreshRate);
  on_ = true;
}

}  // namespace headscope::host
