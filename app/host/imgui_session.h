// ImGuiSession: the Dear ImGui context that every host shares, with the program's style and fonts.
#pragma once

#include <imgui.h>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "app/app.h"
#include "app/host/input_queue.h"
#include "app/ui/fonts.h"
#include "app/ui/letters.h"
#include "app/ui/theme.h"

namespace headscope::host {

/// The letters of an interface scale, drawn on a thread of their own while a window opens.
struct LoadedFonts {
  std::unique_ptr<ImFontAtlas> atlas;  // null: loaded when the first frame asks for them
  ui::Fonts fonts;
  float scale = 0.0F;
};

/// To be taken before a Dear ImGui context is made: no context may come or go meanwhile.
std::future<LoadedFonts> loadFontsAside(float scale);

class ImGuiSession {
 public:
  explicit ImGuiSession(LoadedFonts ready = {});
  ~ImGuiSession();
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;

  /// Called before the first frame, and before one for which other fonts were loaded.
  void onNewFonts(std::function<void()> newFonts) { newFonts_ = std::move(newFonts); }

  /// One frame: style and fonts as the application wants them now, then its interface. The caller
  /// has set the display's size and the time since the last frame.
  void frame(App& app, double now);

  const ui::Fonts& fonts() const { return fonts_; }
  /// What the next frames get of keyboard and mouse.
  InputQueue& input() { return input_; }

 private:
  void prepare(App& app);
  void build(App& app, double now);
  void useFonts(float scale);

  LoadedFonts ready_;  // those to start with; their atlas outlives the context
  ImGuiContext* context_;
  ui::Fonts fonts_;
  ui::Letters letters_;
  InputQueue input_;
  std::function<void()> newFonts_;
  std::optional<float> scale_;
  std::optional<ui::ThemeKind> theme_;
};

}  // namespace headscope::host
