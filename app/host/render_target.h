// RenderTarget: a framebuffer of our own to draw into, and its pixels.
#pragma once

#include "app/gl/objects.h"
#include "app/host/image.h"

namespace headscope::host {

class RenderTarget {
 public:
  /// Throws UserError for a size that GL does not take.
  RenderTarget(int width, int height);

  void bind() const;
  Image read() const;
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  int width_;
  int height_;
  gl::Renderbuffer color_;
  gl::Framebuffer framebuffer_;
};

}  // namespace headscope::host
