#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <string>

#include "app/host/offscreen_context.h"
#include "app/host/system_libraries.h"
#include "core/base/error.h"

namespace headscope::host {
namespace {

constexpr const char* kEglWayOut =
    "; install Mesa's driver (Debian and Ubuntu: apt install libegl1 libgl1 libgl1-mesa-dri)";

bool initialised(EGLDisplay display) {
  return display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) == EGL_TRUE;
}

EGLDisplay openDisplay() {
  // epoxy ends the process where it finds no OpenGL
  if (const std::string missing = missingForDrawing(); !missing.empty()) {
    throw UserError("drawing offscreen needs " + missing);
  }
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (initialised(display)) return display;
  }
  EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  if (initialised(display)) return display;
  throw UserError(std::string("drawing offscreen needs EGL, which does not start here") +
                  kEglWayOut);
}

}  // namespace

OffscreenContext::OffscreenContext() : display_(openDisplay()) {
  constexpr EGLint kConfig[] = {EGL_SURFACE_TYPE,
                                EGL_PBUFFER_BIT,
                                EGL_RENDERABLE_TYPE,
                                EGL_OPENGL_BIT,
                                EGL_RED_SIZE,
                                8,
                                EGL_GREEN_SIZE,
                                8,
                                EGL_BLUE_SIZE,
                                8,
                                EGL_NONE};
  constexpr EGLint kVersion[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 3,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
  constexpr EGLint kPixel[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_TRUE &&
      eglChooseConfig(display_, kConfig, &config, 1, &count) == EGL_TRUE && count > 0) {
    context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, kVersion);
  }
  if (context_ != nullptr) {
    // The program draws into its own framebuffer, but some drivers require a surface.
    surface_ = eglCreatePbufferSurface(display_, config, kPixel);
    if (eglMakeCurrent(display_, surface_, surface_, context_) == EGL_TRUE) return;
    eglDestroyContext(display_, context_);
  }
  eglTerminate(display_);
  throw UserError(std::string("drawing offscreen needs OpenGL 3.3, which EGL's driver does not "
                              "offer here") +
                  kEglWayOut);
}

void OffscreenContext::makeCurrent() {
  eglBindAPI(EGL_OPENGL_API);
  eglMakeCurrent(display_, surface_, surface_, context_);
}

void OffscreenContext::release() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

OffscreenContext::~OffscreenContext() {
  release();
  if (surface_ != nullptr) eglDestroySurface(display_, surface_);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

}  // namespace headscope::host
