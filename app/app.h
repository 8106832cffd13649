// App: the program without its window. A host calls frame() between ImGui::NewFrame() and
// ImGui::Render(); the same function runs in the window, offscreen and in tests.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document_editor.h"
#include "app/gl/scene.h"
#include "app/ui/fonts.h"
#include "app/ui/view_state.h"
#include "core/base/memory_budget.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/editing/history.h"
#include "core/formats/session.h"

namespace headscope {

struct ShownModel;
struct StudyMoment;
struct TrainingMoment;

struct AppOptions {
  DocumentPtr document;                    // what it opens on
  std::shared_ptr<const History> history;  // to go on with, in place of the document
  TracePtr trace;                          // of the document, where it is computed already
  bool learns = false;  // learned heads take the place of its own, beside the first frames
  ui::ViewState view;
  std::filesystem::path tracePath = "headscope-trace.safetensors";  // where "Save trace" goes
  NamedDocument compared;                   // the state chosen in the history to compare with
  std::filesystem::path sessionPath;        // the session it is; empty: none yet
  std::vector<formats::SavedScene> scenes;  // the session's
  formats::SavedModels models;              // the edits of models that it keeps
  std::optional<formats::FileContent> sessionContent;  // of its file when it was read
  bool firstLook =
      false;      // on a number to try something with (ui::FirstLook), not on the view alone
  int scene = 0;  // the one it goes to, with the view as given; 0: none
  std::filesystem::path stateFolder;  // where what is not saved is kept; empty: nowhere
  std::string noStateFolder;  // why there is none, shown as long as it lasts; empty: none is wanted
  std::string linkBase;       // the page's address, in a browser
  bool embedded = false;  // in an article: only the card that the view presents, or its page's own
  /// What the page Train shows; null: nothing yet.
  std::shared_ptr<const TrainingMoment> training;
  std::shared_ptr<const StudyMoment> headCounts, scaleStudy;
  std::shared_ptr<const ShownModel> model;  // what the page Model shows; null: what the view says
  Index memoryBudget = 0;                   // 0: defaultMemoryBudget()
  int threads = 0;
};

/// A picture of what the program shows when it is opened so.
struct PictureRequest {
  AppOptions program;
  int width = 0, height = 0;  // pixels
  std::filesystem::path path;
  std::string subject;  // what it shows, for the sentence that says so
};

class App {
 public:
  explicit App(AppOptions options);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Waits a moment for the first result, which is computed while a host gets ready. Throws
  /// UserError where there will be none.
  void awaitFirst();

  /// Builds one frame of the interface at `now` seconds.
  void frame(const ui::Fonts& fonts, double now);

  /// Called from another thread whenever there is something new to draw.
  void onWake(std::function<void()> wake);

  /// True while an animation runs: the host draws on without waiting for an event.
  bool wantsFrame() const;
  /// In how many seconds the picture changes by itself; infinite where nothing goes on.
  double nextChange() const;
  /// True while one panel is presented: over the whole screen, where the host has one.
  bool wantsFullScreen() const;
  /// While it is true a host that can shows a second window, for who gives a lecture.
  bool wantsSpeakerWindow() const;
  /// What frames fill for that window from now on, and its size; null: there is none.
  void setSpeakerWindow(ImDrawList* list, ImVec2 size = {});
  /// It was closed by the user; or, for this reason, could not be opened.
  void speakerWindowGone(const std::string& why = {});
  /// Interface scale the fonts must be loaded for.
  float scale() const;
  ImU32 background() const;
  gl::Scene& scene();

  /// As an edit in the interface does: those with the same non-empty gesture in a row are one in
  /// the history. What is refused is said.
  void apply(const Edit& edit, const std::string& gesture = "");
  void dropFiles(const std::vector<std::filesystem::path>& paths);
  /// What stands in an address is opened (link.h). What cannot be is said.
  void openLink(const std::string& link);
  void copyLink();
  /// The host has a dialog of its own for files, or a folder of them, which it then drops.
  void onChooseFiles(std::function<void(bool folder)> choose);

  /// A picture the user has asked for, once. The host draws it between two frames and hands back
  /// what writes it (and throws UserError where it cannot), which then runs on another thread.
  std::optional<PictureRequest> takePictureRequest();
  void pictureDrawn(const PictureRequest& request, std::function<void()> write);

  /// Waits until the newest document's trace is there, what a tool has asked for is computed and
  /// everything is saved (offscreen and tests). True where the next frame has results to take, with
  /// which it may ask for more.
  bool finish();

  /// No more frames will be asked for: what is computed for them ends, what is written goes on.
  void stop();

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
