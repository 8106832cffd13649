#include "app/host/imgui_session.h"

#include "app/ui/style.h"

namespace headscope::host {

ImGuiSession::ImGuiSession() : context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // panels lie where the layout puts them: nothing to remember
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
#if IMGUI_VERSION_NUM >= 19110
  ImGui::GetPlatformIO().Platform_OpenInShellFn = nullptr;  // no link ever starts a browser
#endif
}

ImGuiSession::~ImGuiSession() { ImGui::DestroyContext(context_); }

void ImGuiSession::prepare(App& app) {
  const float scale = app.scale();
  const ui::ThemeKind theme = app.view().theme;
  if (scale_ == scale && theme_ == theme) return;
  ui::applyStyle(ui::theme(theme), scale);
  theme_ = theme;
  if (scale_ == scale) return;
  scale_ = scale;
  ImGuiIO& io = ImGui::GetIO();
  fonts_ = ui::loadFonts(io, scale);
#if IMGUI_VERSION_NUM >= 19200
  const bool onDemand = (io.BackendFlags & ImGuiBackendFlags_RendererHasTextures) != 0;
#else
  constexpr bool onDemand = false;
#endif
  if (!onDemand) io.Fonts->Build();
  if (newFonts_) newFonts_();
}

void ImGuiSession::frame(App& app, double now) {
  prepare(app);
  const ImGuiIO& io = ImGui::GetIO();
  gl::Scene& scene = app.scene();
  scene.displayWidth = io.DisplaySize.x;
  scene.displayHeight = io.DisplaySize.y;
  scene.pixelsPerPoint = io.DisplayFramebufferScale.x;
  ImGui::NewFrame();
  app.frame(fonts_, now);
  ImGui::Render();
}

}  // namespace headscope::host
