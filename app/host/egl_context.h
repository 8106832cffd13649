// EGL context: OpenGL without a window. A browser uses the context of its page, which is already
// current.
#pragma once

namespace headscope::host {

/// An OpenGL 3.3 core context without a window, X server or GPU (Mesa then draws on the CPU). It is
/// current on the creating thread until it is destroyed.
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
