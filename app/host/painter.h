// Painter: draws the frame that ImGui has built into the bound framebuffer, with its heatmaps and
// ribbons. It needs a current GL context for its whole lifetime.
#pragma once

#include <filesystem>
#include <limits>
#include <string>

#include "app/app.h"
#include "app/gl/scene_renderer.h"
#include "app/host/imgui_session.h"

namespace headscope::host {

/// Returns a sentence about what the current context lacks; empty where it is sufficient.
std::string missingFromGl();

class Painter {
 public:
  /// Reads the shaders from `shaderDir` if it is given; throws UserError where one does not
  /// compile. Reading the values of pictures lengthens a frame by little more than `patience`
  /// seconds; the rest is postponed to later frames (see SceneRenderer::Stats).
  Painter(ImGuiSession& session, const std::filesystem::path& shaderDir,
          double patience = std::numeric_limits<double>::infinity());
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  /// Draws the last frame of `app`, `width` × `height` pixels.
  void paint(App& app, int width, int height);

  const gl::SceneRenderer& renderer() const { return renderer_; }

 private:
  void uploadFonts();

  ImGuiSession& session_;
  gl::SceneRenderer renderer_;
  bool hasFonts_ = false;
};

}  // namespace headscope::host
