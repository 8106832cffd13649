#include "app/host/render_target.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

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

}  // namespace headscope::host
