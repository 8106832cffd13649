// App::State: what the program holds between frames, and what it does with a frame's wishes. Its
// parts are defined by theme: app_edits.cpp (documents and files), app_session.cpp (sessions and
// scenes), app_export.cpp (what is written to files), app_keys.cpp (the keyboard),
// app_comparison.cpp (what a pass is held against), app_panels.cpp (where the panels stand).
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/app.h"
#include "app/background.h"
#include "app/comparison.h"
#include "app/designed_shown.h"
#include "app/session_store.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/color_maps.h"
#include "app/ui/control_focus.h"
#include "app/ui/export_dialog.h"
#include "app/ui/flow_page.h"
#include "app/ui/help.h"
#include "app/ui/panel.h"
#include "app/ui/parts/flash.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/presenter.h"
#include "app/ui/scenes_panel.h"
#include "app/ui/session_controls.h"
#include "app/ui/text_field.h"
#include "app/ui/token_row.h"
#include "app/ui/tools/tools.h"
#include "app/ui/top_bar.h"
#include "app/worker.h"
#include "core/error.h"
#include "core/history.h"
#include "core/words/arithmetic.h"

namespace headscope {

struct App::State {
  explicit State(AppOptions o);

  void takeResult();
  void say(std::string sentence, bool error = false) {
    message = std::move(sentence);
    messageIsError = error;
  }
  /// Does it, or says why it cannot be done.
  template <typename Action>
  void attempt(Action&& action) {
    try {
      action();
    } catch (const std::bad_alloc& error) {
      requestAgain = true;
      say(sentenceFor(error) + "; everything stays as it was", true);
    } catch (const std::exception& error) {
      say(sentenceFor(error), true);
    }
  }
  void build(const ui::Fonts& fonts, double now);
  void noMemory(const ui::Fonts& fonts);
  void apply(const Edit& edit, const std::string& gesture);
  void applyEdits(const ui::EditSink& sink);
  void openFile(const std::filesystem::path& path);
  void saveTrace();
  void saveIfDue();
  void jumpTo(std::size_t index);
  void compareWith(std::size_t index);
  void compare();
  ui::Reference reference(const TracePtr& held) const;
  void exportNow(const ui::ExportRequest& request);
  void exportIfDue();
  void takeExported();
  void overlays(const ui::Panel& panel);
  float scale() const { return presenter.on() ? ui::presentedScale(view.scale) : view.scale; }
  void show(DocumentPtr document, std::string newView, const std::string& name);
  void takeViewToCome();
  bool askedTwice(const std::string& wish, const std::string& sentence);
  std::optional<std::string> warns(const std::string& wish) const;
  void openSession(const std::filesystem::path& path, bool asked = false);
  void saveSession(bool elsewhere);
  void restore();
  void discard();
  bool restoreKey();
  void recallScene(int number);
  void setScene(int number);
  void doSceneWishes(const ui::SceneWishes& wishes);
  void sessionKeys();
  void sceneKeys();
  void sessionWindows(const ui::Look& look);
  void followSession();
  void keys(const ui::Panel& panel);
  void keepViewValid();
  /// What is chosen in the view holds, whatever the cards would choose by themselves.
  void viewOpened() const {
    for (const auto& page : pages.all()) page->viewOpened(view);
  }
  void panels(const ui::Panel& panel);
  void wholeWindow(const ui::Panel& panel);
  void oneCard(const ui::Panel& panel, std::string_view id, ui::Rect at);
  ui::Pages makePages();

  Index memoryBudget;
  std::filesystem::path tracePath;
  ui::ViewState view;
  ui::ColorMaps maps;
  History history;
  SessionStore store;
  struct ViewToCome {
    DocumentPtr document;
    std::string view;
  };
  std::optional<ViewToCome> viewToCome;
  struct Warned {  // what the user was told before it is done, on this document
    std::string wish, sentence;
    DocumentPtr document;
  };
  Warned warned;
  TracePtr trace;
  gl::Scene scene;
  std::vector<std::filesystem::path> dropped;
  std::string message;
  bool messageIsError = false;
  bool wantsFrame = false;
  double nextChange = ui::kNever;
  bool saveWhenDone = false;
  bool requestAgain = false;  // memory ran out before the worker was given the newest document
  double mouseMovedAt = 0.0;

  struct Compared {
    DocumentPtr document{};
    std::string name{};
    std::string problem{};  // why it cannot be compared with
  };
  struct ComparisonKey {  // where it is the same, so is what is compared with
    DocumentPtr now;
    ui::ReferenceKind kind = ui::ReferenceKind::none;
    ui::Against against = ui::Against::lastEdit;
    Mistake mistake = Mistake::reshapeWithoutTranspose;
    DocumentPtr kept;
    bool operator==(const ComparisonKey&) const = default;
  };
  Compared documentToCompare(ui::ReferenceKind kind) const;
  Compared keptState;  // chosen in the history: it stays, whatever becomes of the history
  Compared compared;
  ComparisonKey comparedFor;
  Comparison comparison;
  ui::Flash flash;
  DesignedShown designed;

  std::optional<ui::ExportRequest> exportAsked;  // waits for the newest document's trace
  std::optional<PictureRequest> pictureAsked;    // waits for the host

  ui::Computations computations;
  ui::Magnitudes magnitudes;
  Explanations explanations;
  // what the panels remember between frames
  ui::TopBarMemory topBar;
  ui::TokenRowMemory tokenRow;
  ui::Playback playback;
  ui::CellEditing editing;
  ui::ScenesPanel scenes;
  ui::Cards tools = ui::makeTools();
  ui::Pages pages = makePages();
  ui::Presenter presenter{pages};
  ui::ControlFocus controls;
  ui::TypedText typed;
  ui::ExportDialogMemory exportDialog;
  ui::HelpMemory help;
  ui::SessionDialogMemory sessionDialog;
  float offerTop = 0.0F, offerHeight = 0.0F;  // of what is offered to be restored

  BackgroundTask<std::string> exporting;
  Worker worker;  // last: gone before what it could still touch
};

}  // namespace headscope
