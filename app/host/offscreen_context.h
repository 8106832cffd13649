// Offscreen context: OpenGL without a visible window. On Linux it comes from EGL and needs no
// display (egl_context.cpp), on Windows and macOS from a hidden window (hidden_window.cpp). A
// browser uses the context of its page, which is already current.
#pragma once

namespace headscope::host {

/// An OpenGL 3.3 core context, current on the creating thread until it is destroyed. Where it comes
/// from EGL it needs no X server and no GPU (Mesa then draws on the CPU).
class OffscreenContext {
 public:
  /// Throws UserError where the machine has no OpenGL 3.3, or no EGL where that is used.
  OffscreenContext();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

  /// Makes the context current again after release(), which lets the thread use another one.
  void makeCurrent();
  void release();

 private:
  [[maybe_unused]] void* display_ = nullptr;
  [[maybe_unused]] void* surface_ = nullptr;
  [[maybe_unused]] void* context_ = nullptr;
};

}  // namespace headscope::host
