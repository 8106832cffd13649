#include <fmt/format.h>

#include "app/host/offscreen_context.h"
#include "app/host/system_libraries.h"
#include "core/base/error.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace headscope::host {

/// GLFW stays started until the process ends, since the program's own window may use it.
OffscreenContext::OffscreenContext() {
  GLFWwindow* window = nullptr;
  if (glfwInit() == GLFW_TRUE) {
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    window = glfwCreateWindow(1, 1, "headscope", nullptr, nullptr);
    glfwDefaultWindowHints();
  }
  if (window == nullptr) {
    throw UserError(
        fmt::format("drawing offscreen needs OpenGL 3.3, which the driver does not offer here; {}",
                    driverAdvice()));
  }
  glfwMakeContextCurrent(window);
  context_ = window;
}

void OffscreenContext::makeCurrent() { glfwMakeContextCurrent(static_cast<GLFWwindow*>(context_)); }

void OffscreenContext::release() { glfwMakeContextCurrent(nullptr); }

OffscreenContext::~OffscreenContext() {
  release();
  glfwDestroyWindow(static_cast<GLFWwindow*>(context_));
}

}  // namespace headscope::host
