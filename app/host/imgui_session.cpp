#include "app/host/imgui_session.h"

#include <imgui_internal.h>

#include <utility>

#include "app/host/system_fonts.h"
#include "app/ui/theme.h"

namespace headscope::host {

LoadedFonts loadFonts([[maybe_unused]] float scale) {
  LoadedFonts loaded;
#if IMGUI_VERSION_NUM < 19200  // newer versions draw letters when they are first shown
  loaded.atlas = std::make_shared<ImFontAtlas>();
  loaded.fonts = ui::loadFonts(*loaded.atlas, scale);
  loaded.atlas->Build();
  loaded.atlas->ClearInputData();  // ImGui's copies of the typefaces
  loaded.scale = scale;
#endif
  return loaded;
}

namespace {

/// Clears Dear ImGui's undo state of the last text field, because undoing it after the field's text
/// has changed aborts the process.
void forgetTheFieldLeft() {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  if (context.ActiveId != context.InputTextState.ID) context.InputTextState.ID = 0;
}

}  // namespace

ImGuiSession::ImGuiSession(LoadedFonts ready)
    : ready_(std::move(ready)), context_(ImGui::CreateContext(ready_.atlas.get())) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // the layout places the panels: nothing to store
  io.LogFilename = nullptr;
  io.UserData = &letters_;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
#if IMGUI_VERSION_NUM >= 19110
  ImGui::GetPlatformIO().Platform_OpenInShellFn = nullptr;  // no link ever starts a browser
#endif
}

ImGuiSession::~ImGuiSession() { ImGui::DestroyContext(context_); }

void ImGuiSession::prepare(App& app) {
  const float scale = app.scale();
  const ui::Preferences& chosen = app.view().preferences;
  const ui::Theme* theme = &ui::theme(chosen.theme, chosen.palette);
  if (scale_ == scale && theme_ == theme) return;
  ui::applyStyle(*theme, scale);
  theme_ = theme;
  if (scale_ == scale) return;
  scale_ = scale;
  useFonts(scale);
  ImGui::GetIO().FontDefault = fonts_.regular;
  if (newFonts_) newFonts_();
}

void ImGuiSession::useFonts(float scale) {
  if (std::exchange(ready_.scale, 0.0F) == scale) {
    fonts_ = ready_.fonts;
    return;
  }
  ImGuiIO& io = ImGui::GetIO();
  if (ready_.atlas.use_count() > 1) {  // others still draw with it
    ready_.atlas = std::make_shared<ImFontAtlas>();
    io.Fonts = ready_.atlas.get();
  }
  ui::MoreLetters more;
  if (!letters_.wanted().empty()) more = {letters_.ranges(), systemFontsWith(letters_.wanted())};
  fonts_ = ui::loadFonts(*io.Fonts, scale, more);
#if IMGUI_VERSION_NUM >= 19200
  if ((io.BackendFlags & ImGuiBackendFlags_RendererHasTextures) == 0) io.Fonts->Build();
#else
  io.Fonts->Build();
  io.Fonts->ClearInputData();  // ImGui's copies of the typefaces
#endif
}

void ImGuiSession::frame(App& app, double now) {
  input_.feed();
  build(app, now);
  if (letters_.takeNew()) {  // letters of a new script are needed
    scale_.reset();
    build(app, now);
    letters_.takeNew();  // no installed typeface has the letters still missing
  }
}

void ImGuiSession::build(App& app, double now) {
  prepare(app);
  const ImGuiIO& io = ImGui::GetIO();
  gl::Scene& scene = app.scene();
  scene.displayWidth = io.DisplaySize.x;
  scene.displayHeight = io.DisplaySize.y;
  scene.pixelsPerPoint = io.DisplayFramebufferScale.x;
  input_.repeatKeys();
  ImGui::NewFrame();
  app.frame(fonts_, now);
  ImGui::Render();
  forgetTheFieldLeft();
}

}  // namespace headscope::host
