// App: the program without its window. A host calls frame() between ImGui::NewFrame() and
// ImGui::Render(); the same function runs in the window, offscreen and in tests.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/fonts.h"
#include "app/ui/view_state.h"
#include "core/document.h"
#include "core/formats/session.h"
#include "core/history.h"
#include "core/trace.h"

namespace headscope {

struct AppOptions {
  DocumentPtr document;  // what it opens on
  ui::ViewState view;
  std::filesystem::path tracePath = "headscope-trace.safetensors";  // where "Save trace" goes
  std::filesystem::path sessionPath;        // the session it is; empty: none yet
  std::vector<formats::SavedScene> scenes;  // the session's
  std::filesystem::path stateFolder;        // where what is not saved is kept; empty: nowhere
  Index memoryBudget = 0;                   // 0: defaultMemoryBudget()
  int threads = 0;
};

class App {
 public:
  explicit App(AppOptions options);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Builds one frame of the interface at `now` seconds.
  void frame(const ui::Fonts& fonts, double now);

  /// Called from another thread whenever there is something new to draw.
  void onWake(std::function<void()> wake);

  /// True while an animation runs: the host draws on without waiting for an event.
  bool wantsFrame() const;
  /// Interface scale the fonts must be loaded for.
  float scale() const;
  ImU32 background() const;
  gl::Scene& scene();

  void dropFiles(const std::vector<std::filesystem::path>& paths);

  /// Waits until the newest document's trace is there, what a tool has asked for is computed and
  /// everything is saved (offscreen and tests).
  void finish();

  const DocumentPtr& document() const;
  const TracePtr& trace() const;
  ui::ViewState& view();
  /// The window's: "• lecture · headscope", with the dot while something is not saved.
  std::string title() const;
  const std::string& message() const;  // the status bar's

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
