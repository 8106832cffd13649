// EGL context: OpenGL without a window. In a browser it is the page's own context, which is current
// already.
#pragma once

namespace headscope::host {

/// An OpenGL 3.3 core context without a window, X server or GPU (Mesa then draws on the CPU).
/// Current on the thread that made it, until its end.
class EglContext {
 public:
  /// Throws UserError where the machine has no EGL, or no OpenGL 3.3.
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

 private:
  [[maybe_unused]] void* display_ = nullptr;
  [[maybe_unused]] void* surface_ = nullptr;
  [[maybe_unused]] void* context_ = nullptr;
};

}  // namespace headscope::host
