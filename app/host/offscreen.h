// Offscreen: a host that draws the same frames as the window into an image, without a display.
#pragma once

#include <filesystem>

#include "app/app.h"
#include "app/host/egl_context.h"
#include "app/host/headless.h"
#include "app/host/image.h"
#include "app/host/painter.h"
#include "app/host/render_target.h"

namespace headscope::host {

class Offscreen {
 public:
  /// Size in pixels. Throws UserError without EGL or OpenGL 3.3.
  Offscreen(int width, int height, const std::filesystem::path& shaderDir = {});

  /// One frame, at the host's clock, with the input given to it.
  Image drawFrame(App& app);

  /// Waits for the newest document's trace and all that panels compute of it, lets layout (`frames`
  /// frames) and animations come to rest, then draws it.
  Image draw(App& app, int frames = 3);

  Headless& input() { return headless_; }
  const gl::SceneRenderer& renderer() const { return painter_.renderer(); }

 private:
  EglContext context_;
  Headless headless_;
  RenderTarget target_;
  Painter painter_;
};

}  // namespace headscope::host
