// Offscreen: draws the window's frames into images without a display.
#pragma once

#include <imgui.h>

#include <filesystem>

#include "app/app.h"
#include "app/gl/objects.h"
#include "app/host/headless.h"
#include "app/host/image.h"
#include "app/host/offscreen_context.h"
#include "app/host/painter.h"

namespace headscope::host {

/// A framebuffer to draw into, and its pixels.
class RenderTarget {
 public:
  /// Throws UserError for a size that OpenGL does not support.
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

/// Restores the caller's Dear ImGui context at its end.
class KeepsImGuiContext {
 public:
  KeepsImGuiContext() = default;
  ~KeepsImGuiContext() { ImGui::SetCurrentContext(context_); }
  KeepsImGuiContext(const KeepsImGuiContext&) = delete;
  KeepsImGuiContext& operator=(const KeepsImGuiContext&) = delete;

 private:
  ImGuiContext* context_ = ImGui::GetCurrentContext();
};

/// Waits for the newest document's trace and all computations of the panels, and lets layout
/// (`frames` frames) and animations settle.
void settleFrames(Headless& headless, App& app, int frames = 3);

class Offscreen {
 public:
  /// Size in pixels. Throws UserError without EGL or OpenGL 3.3.
  Offscreen(int width, int height, const std::filesystem::path& shaderDir = {});

  /// Makes its OpenGL and Dear ImGui contexts current again after release().
  void makeCurrent();
  /// Lets the thread use another OpenGL context.
  void release() { context_.release(); }

  /// Draws one frame at the host's clock, with the queued input.
  Image drawFrame(App& app);

  /// Draws the frame after settleFrames().
  Image draw(App& app, int frames = 3);

  Headless& input() { return headless_; }
  const gl::SceneRenderer& renderer() const { return painter_.renderer(); }

 private:
  OffscreenContext context_;
  Headless headless_;
  RenderTarget target_;
  Painter painter_;
};

/// Draws the requested picture on an OpenGL context of its own, independent of any window.
/// Afterwards the caller's Dear ImGui context is current again, but no OpenGL context is. Throws
/// UserError where the pass is refused, or without EGL.
Image drawPicture(const PictureRequest& request, const std::filesystem::path& shaderDir = {});

}  // namespace headscope::host
