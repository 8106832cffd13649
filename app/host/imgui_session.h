// ImGui session: the Dear ImGui context of every host, with the program's style and fonts.
#pragma once

#include <imgui.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "app/app.h"
#include "app/host/input_queue.h"
#include "app/ui/fonts.h"
#include "app/ui/letters.h"
#include "app/ui/theme.h"

namespace headscope::host {

/// The rasterized fonts for an interface scale, loaded in the background while a window opens.
/// Sessions may share them.
struct LoadedFonts {
  std::shared_ptr<ImFontAtlas> atlas;  // null: the first frame loads the fonts
  ui::Fonts fonts;
  float scale = 0.0F;
};

/// Loads fonts without a Dear ImGui context, on any thread. No context may be created or destroyed
/// meanwhile.
LoadedFonts loadFonts(float scale);

class ImGuiSession {
 public:
  explicit ImGuiSession(LoadedFonts ready = {});
  ~ImGuiSession();
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;

  /// Makes its Dear ImGui context current again, after another one was.
  void makeCurrent() { ImGui::SetCurrentContext(context_); }

  /// Sets a function that is called before the first frame, and before each frame with newly loaded
  /// fonts.
  void onNewFonts(std::function<void()> newFonts) { newFonts_ = std::move(newFonts); }

  /// Builds one frame: updates style and fonts for the application, then builds its interface. The
  /// caller has set the display's size and the time since the last frame.
  void frame(App& app, double now);

  const ui::Fonts& fonts() const { return fonts_; }
  /// The queue of keyboard and mouse input for the next frames.
  InputQueue& input() { return input_; }

 private:
  void prepare(App& app);
  void build(App& app, double now);
  void useFonts(float scale);

  LoadedFonts ready_;  // their atlas outlives the context
  ImGuiContext* context_;
  ui::Fonts fonts_;
  ui::Letters letters_;
  InputQueue input_;
  std::function<void()> newFonts_;
  std::optional<float> scale_;
  const ui::Theme* theme_ = nullptr;  // of the style in use
};

}  // namespace headscope::host
