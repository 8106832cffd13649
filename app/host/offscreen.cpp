#include "app/host/offscreen.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/gl/error.h"
#include "core/error.h"

namespace headscope::host {

namespace {

constexpr const char* kEglWayOut =
    "; install Mesa's (Debian and Ubuntu: libegl1 and libgl1-mesa-dri)";

bool initialised(EGLDisplay display) {
  return display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) == EGL_TRUE;
}

EGLDisplay openDisplay() {
  if (!epoxy_has_egl()) {
    throw UserError(std::string("drawing offscreen needs EGL, which is not installed") +
                    kEglWayOut);
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

EglContext::EglContext() : display_(openDisplay()) {
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
    // We draw into a framebuffer of our own: not all drivers, though, do without any surface.
    surface_ = eglCreatePbufferSurface(display_, config, kPixel);
    if (eglMakeCurrent(display_, surface_, surface_, context_) == EGL_TRUE) return;
    eglDestroyContext(display_, context_);
  }
  eglTerminate(display_);
  throw UserError(std::string("drawing offscreen needs OpenGL 3.3, which EGL's driver does not "
                              "offer here") +
                  kEglWayOut);
}

EglContext::~EglContext() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  if (surface_ != nullptr) eglDestroySurface(display_, surface_);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

RenderTarget::RenderTarget(int width, int height) : width_(width), height_(height) {
  GLint limit = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
  if (width < 1 || height < 1 || width > limit || height > limit) {
    throw UserError(
        fmt::format("size {}x{}: give a width and a height from 1 to {}", width, height, limit));
  }
  glBindRenderbuffer(GL_RENDERBUFFER, color_.id());
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  bind();
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_.id());
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw UserError(fmt::format("size {}x{}: the driver has no memory for it", width, height));
  }
}

void RenderTarget::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id()); }

Image RenderTarget::read() const {
  bind();
  const auto stride = 4 * static_cast<std::size_t>(width_);
  Image image{width_, height_,
              std::vector<std::uint8_t>(stride * static_cast<std::size_t>(height_))};
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  // GL's first row is the lowest.
  for (std::size_t top = 0, bottom = static_cast<std::size_t>(height_) - 1; top < bottom;
       ++top, --bottom) {
    auto* a = image.rgba.data() + top * stride;
    std::swap_ranges(a, a + stride, image.rgba.data() + bottom * stride);
  }
  return image;
}

namespace {

constexpr int kMostAnimationFrames = 60;  // a second; what plays on has no rest to wait for
constexpr int kMostFrames = 400;          // in all

}  // namespace

Offscreen::Offscreen(int width, int height, const std::filesystem::path& shaderDir)
    : headless_(width, height), target_(width, height), painter_(headless_.session(), shaderDir) {}

Image Offscreen::drawFrame(App& app) {
  headless_.frame(app);
  target_.bind();
  painter_.paint(app, target_.width(), target_.height());
  gl::checkErrors("drawing offscreen");
  return target_.read();
}

Image Offscreen::draw(App& app, int frames) {
  app.finish();
  // what panels have computed they take a frame later, perhaps to ask for more
  int animated = 0;
  int quiet = 0;
  for (int i = 0; i < kMostFrames && quiet < frames; ++i) {
    headless_.frame(app);
    const bool moves = app.wantsFrame() && ++animated <= kMostAnimationFrames;
    const bool news = app.finish();
    quiet = moves || news ? 0 : quiet + 1;
  }
  return drawFrame(app);
}

namespace {

class KeepsImGuiContext {
 public:
  KeepsImGuiContext() = default;
  ~KeepsImGuiContext() { ImGui::SetCurrentContext(context_); }
  KeepsImGuiContext(const KeepsImGuiContext&) = delete;
  KeepsImGuiContext& operator=(const KeepsImGuiContext&) = delete;

 private:
  ImGuiContext* context_ = ImGui::GetCurrentContext();
};

}  // namespace

Image drawPicture(const PictureRequest& request, const std::filesystem::path& shaderDir) {
  const KeepsImGuiContext kept;
  App program(request.program);
  program.finish();
  if (!program.trace()) throw UserError(program.message());
  Offscreen offscreen(request.width, request.height, shaderDir);
  return offscreen.draw(program);
}

}  // namespace headscope::host
