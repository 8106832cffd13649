// Painter: puts the frame that ImGui has built on the bound framebuffer, heatmaps and ribbons in
// their places. Needs a current GL context for as long as it lives.
#pragma once

#include <filesystem>
#include <limits>
#include <string>

#include "app/app.h"
#include "app/gl/scene_renderer.h"
#include "app/host/imgui_session.h"

namespace headscope::host {

/// Empty where the current context has what is needed; else a sentence about what it lacks.
std::string missingFromGl();

class Painter {
 public:
  /// With a folder, shaders are read from it. Throws UserError where one of those does not compile.
  /// Reading pictures' values takes a frame little longer than `patience` seconds: what is left
  /// then is put off to later frames (see SceneRenderer::Stats).
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
