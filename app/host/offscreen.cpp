#include "app/host/offscreen.h"

#include <epoxy/gl.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/gl/error.h"
#include "core/base/error.h"

namespace headscope::host {

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

constexpr int kMostAnimationFrames = 60;  // one second; a continuing animation never settles
constexpr int kMostFrames = 400;          // the most frames in total

}  // namespace

Offscreen::Offscreen(int width, int height, const std::filesystem::path& shaderDir)
    : headless_(width, height), target_(width, height), painter_(headless_.session(), shaderDir) {}

void Offscreen::makeCurrent() {
  context_.makeCurrent();
  headless_.session().makeCurrent();
}

Image Offscreen::drawFrame(App& app) {
  headless_.frame(app);
  target_.bind();
  painter_.paint(app, target_.width(), target_.height());
  gl::checkErrors("drawing offscreen");
  return target_.read();
}

void settleFrames(Headless& headless, App& app, int frames) {
  app.finish();
  // panels take their results one frame later, and may request more
  int animated = 0;
  int quiet = 0;
  for (int i = 0; i < kMostFrames && quiet < frames; ++i) {
    headless.frame(app);
    const bool moves = app.wantsFrame() && ++animated <= kMostAnimationFrames;
    const bool news = app.finish();
    quiet = moves || news ? 0 : quiet + 1;
  }
}

Image Offscreen::draw(App& app, int frames) {
  settleFrames(headless_, app, frames);
  return drawFrame(app);
}

Image drawPicture(const PictureRequest& request, const std::filesystem::path& shaderDir) {
  const KeepsImGuiContext kept;
  App program(request.program);
  program.finish();
  if (!program.trace()) throw UserError(program.message());
  Offscreen offscreen(request.width, request.height, shaderDir);
  return offscreen.draw(program);
}

}  // namespace headscope::host
