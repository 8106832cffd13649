// EglContext: an OpenGL 3.3 core context without a window, X server or GPU (Mesa then draws on the
// CPU). Current on the thread that made it, until its end.
#pragma once

namespace headscope::host {

class EglContext {
 public:
  /// Throws UserError where the machine has no EGL, or no OpenGL 3.3.
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

 private:
  void* display_ = nullptr;
  void* surface_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace headscope::host
