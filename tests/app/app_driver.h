// App driver: the whole program on a host without window and GPU, used as a person uses it. Texts
// to click are found on the screen; results are read from the screen, the document or the trace.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/app.h"
#include "app/host/headless.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/history.h"
#include "core/presets/presets.h"
#include "core/training/learned_layers.h"
#include "screen_text.h"

namespace headscope::ui {

inline ImVec2 middle(const gl::Bounds& r) { return {(r.x0 + r.x1) / 2, (r.y0 + r.y1) / 2}; }
/// The middle of a cell of a matrix drawn in `r`.
ImVec2 cellAt(const gl::Bounds& r, Index rows, Index cols, Index row, Index col);

inline constexpr Index kTestBudget = Index{2} << 30;

/// A text at d_model, with these heads.
DocumentPtr textDocument(const std::string& text, Index dModel = 512, Index heads = 8);
/// An example of assets/.
DocumentPtr exampleDocument(std::string_view name, Index dModel = 512, Index heads = 8);
DocumentPtr presetDocument(std::string_view name);

/// Two traces agree in every value of a tensor.
bool sameValues(const Trace& a, const Trace& b, TensorId tensor);

/// Layers as if learned for the document with other numbers of heads, with weights that are drawn:
/// for tests that open the tab More heads and ask nothing of what it measures.
std::shared_ptr<LearnedLayers> drawnLayers(const Document& document);

class AppDriver {
 public:
  explicit AppDriver(DocumentPtr document = presetDocument("original-transformer"),
                     int width = 1600, int height = 1000, ViewState view = {},
                     std::shared_ptr<LearnedLayers> learned = std::make_shared<LearnedLayers>());

  App& app() { return *app_; }
  host::Headless& host() { return host_; }
  const Document& document() { return *app_->document(); }
  const AttentionConfig& config() { return document().config; }
  const Trace& trace() { return *app_->trace(); }
  ViewState& view() { return app_->view(); }
  ImGuiIO& io() { return ImGui::GetIO(); }

  void frame() { host_.frame(*app_); }
  /// Runs frames until the worker has finished and animations have ended.
  void settle();
  /// Opens another document.
  void restart(DocumentPtr document, ViewState view = {});
  /// Opens a document with options that `change` has modified.
  void restartWith(DocumentPtr document, const std::function<void(AppOptions&)>& change);
  /// Starts the program as a window that keeps unsaved work in this folder.
  void restartKeeping(const std::filesystem::path& stateFolder, DocumentPtr document);

  /// The text of the last frame, which is read once.
  const ScreenText& screen() const;
  bool shows(std::string_view text, std::string_view window = {}) const;
  /// The place of `text` on the screen; fails the test where there is none.
  ImVec2 at(std::string_view text, std::string_view window = {}) const;
  ImVec2 after(std::string_view text, std::string_view window = {}) const;

  /// Clicks the text, then settles.
  void click(std::string_view text, std::string_view window = {});
  /// Opens the list that shows `shown` and clicks one of its items.
  void pick(std::string_view shown, std::string_view item, std::string_view window = {});
  void clickAt(ImVec2 position);
  void hover(ImVec2 position);
  void press(Key key, bool ctrl = false, bool shift = false);
  /// Presses a key with alt, as the keys that change the layer need it.
  void pressAlt(Key key, bool shift = false);
  void type(const std::string& text);
  /// Replaces the content of the number field behind a label.
  void typeInto(std::string_view label, const std::string& text,
                std::string_view window = "top bar");
  void clickArrow(std::string_view label, const char* fieldId, bool up,
                  std::string_view window = "top bar");
  /// Replaces the sentence; `enter` ends the edit.
  void typeSentence(const std::string& text, bool enter = true);

  /// The place of the last window of Dear ImGui whose name contains `name`.
  std::optional<gl::Bounds> window(std::string_view name) const;
  /// The heatmaps inside the window, in drawing order.
  std::vector<gl::Bounds> heatmaps(std::string_view window);
  /// Undoes every entry of the history; returns their number.
  int undoAll();

 private:
  AppOptions options(DocumentPtr document, ViewState view) const;

  std::shared_ptr<LearnedLayers> learned_;  // of all programs that this driver starts
  host::Headless host_;
  std::optional<App> app_;
  mutable std::optional<ScreenText> screen_;
  mutable std::pair<const ImGuiContext*, int> screenOf_;  // the frame whose text `screen_` is
};

}  // namespace headscope::ui
