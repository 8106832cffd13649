#include "app/host/painter.h"

#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include "app/gl/error.h"
#include "app/ui/color_maps.h"
#include "core/base/error.h"

namespace headscope::host {
namespace {

constexpr int kNeededVersion = 33;  // version 3.3 in epoxy's notation
constexpr int kNeededEs = 30;       // a browser's WebGL 2

gl::SceneRenderer makeRenderer(const std::filesystem::path& shaderDir, double patience) {
  const auto maps = ui::ColorMaps::load();
  try {
    return {maps.bytes(), gl::shaderSource(shaderDir), patience};
  } catch (const gl::Error& error) {
    if (shaderDir.empty()) throw;  // a built-in shader: not the user's mistake
    throw UserError(
        fmt::format("{} (from --shader-dir; leave it out for the built-in ones)", error.what()));
  }
}

}  // namespace

std::string missingFromGl() {
  if (epoxy_gl_version() >= (epoxy_is_desktop_gl() ? kNeededVersion : kNeededEs)) return {};
  const auto* version = reinterpret_cast<const char*>(glGetString(GL_VERSION));
  return fmt::format("OpenGL 3.3 is needed, and the driver here offers {}",
                     version != nullptr ? version : "none");
}

Painter::Painter(ImGuiSession& session, const std::filesystem::path& shaderDir, double patience)
    : session_(session), renderer_(makeRenderer(shaderDir, patience)) {
  ImGui_ImplOpenGL3_Init(epoxy_is_desktop_gl() ? "#version 330 core" : "#version 300 es");
  session_.onNewFonts([this] { uploadFonts(); });
}

Painter::~Painter() {
  session_.onNewFonts({});
  ImGui_ImplOpenGL3_Shutdown();
}

void Painter::uploadFonts() {
#if IMGUI_VERSION_NUM < 19200
  if (hasFonts_) {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  } else {
    ImGui_ImplOpenGL3_NewFrame();  // creates the backend's objects, including the fonts' texture
  }
  hasFonts_ = true;
  ImGui::GetIO().Fonts->ClearTexData();  // the GPU has a copy
#else
  ImGui_ImplOpenGL3_NewFrame();
#endif
}

void Painter::paint(App& app, int width, int height) {
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  if (epoxy_is_desktop_gl()) {
    glDisable(GL_FRAMEBUFFER_SRGB);  // colours are written without conversion
  }
  const ImVec4 background = ImGui::ColorConvertU32ToFloat4(app.background());
  glClearColor(background.x, background.y, background.z, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
  renderer_.beginFrame();
  app.scene().renderer = &renderer_;
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  app.scene().renderer = nullptr;
#ifndef NDEBUG
  gl::checkErrors("drawing a frame");
#endif
}

}  // namespace headscope::host
