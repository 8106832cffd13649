// App: the program without its window. A host calls frame() between ImGui::NewFrame() and
// ImGui::Render(); the same function runs in the window, offscreen and in tests.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/film.h"
#include "app/gl/scene.h"
#include "app/named_document.h"
#include "app/ui/fonts.h"
#include "app/ui/view_state.h"
#include "core/base/memory_budget.h"
#include "core/document/fwd.h"
#include "core/editing/edit.h"
#include "core/editing/history.h"
#include "core/formats/session.h"

namespace headscope {

class History;
class LearnedLayers;
class Scheduler;
struct FilmedRun;
struct LanguageMoment;
struct ShapeMoment;
struct Settings;
struct ShownModel;
struct StudyMoment;
struct TrainingMoment;

struct AppOptions {
  DocumentPtr document;                    // the document shown at the start
  std::shared_ptr<const History> history;  // a history to continue, instead of `document`
  TracePtr trace;                          // the pass of `document`, if already computed
  std::shared_ptr<LearnedLayers> learned;  // learned before; null: none
  bool learns = false;  // replaces the document's heads with learned ones during the first frames
  ui::ViewState view;
  std::filesystem::path tracePath = "headscope-trace.safetensors";  // the file of "Save trace"
  NamedDocument compared;                   // the state chosen in the history to compare with
  std::filesystem::path sessionPath;        // the session's file; empty: none yet
  std::vector<formats::SavedScene> scenes;  // the session's scenes
  formats::SavedModels models;              // the session's edits of models
  std::optional<formats::FileContent> sessionContent;  // the file's content when it was read
  bool firstLook = false;  // starts with a number to edit (ui::FirstLook), not only the view
  int scene = 0;           // the scene to recall, with `view` unchanged; 0: none
  std::filesystem::path stateFolder;  // the folder of autosaves and progress; empty: none
  std::string noStateFolder;  // why there is none, as a permanent message; empty: none is wanted
  std::vector<std::string> languages;  // that the interface can be shown in, English first
  std::string linkBase;                // the address of the page, in a browser
  bool slide = false;                  // drawn as a slide of a lecture: without tabs and buttons
  bool embedded = false;  // in an article: shows one card only, the presented one or the page's
  /// The moment that the page Train shows; null: nothing yet.
  std::shared_ptr<const TrainingMoment> training;
  std::shared_ptr<const LanguageMoment> language;
  std::shared_ptr<const ShapeMoment> shapes;
  std::shared_ptr<const StudyMoment> headCounts, scaleStudy;
  std::shared_ptr<const FilmedRun> filmed;  // the run of `training`, for lookAt(); null: none
  std::shared_ptr<const ShownModel> model;  // the moment of the page Model; null: see `view`
  Index memoryBudget = 0;                   // 0: defaultMemoryBudget()
  int threads = 0;
};

/// A request for a picture of the program as these options open it, or for a film that begins so.
struct PictureRequest {
  AppOptions program;
  int width = 0, height = 0;  // pixels
  std::filesystem::path path;
  std::string subject;  // the picture's content, for the status bar's sentence
  bool copies = false;  // onto the clipboard, in place of a file
  std::optional<FilmSettings> film{};
};

class App {
 public:
  explicit App(AppOptions options);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Waits briefly for the first result, which is computed while the host starts. Throws UserError
  /// if the first pass is refused.
  void awaitFirst();

  /// Builds one frame of the interface at `now` seconds.
  void frame(const ui::Fonts& fonts, double now);

  /// Sets `wake`, which another thread calls whenever there is something new to draw.
  void onWake(const std::function<void()>& wake);

  /// True while an animation runs: the host draws without waiting for an event.
  bool wantsFrame() const;
  /// The number of seconds until the picture changes by itself; infinite: it does not.
  double nextChange() const;
  /// True while one panel is presented; a host that can then fills the whole screen.
  bool wantsFullScreen() const;
  /// True while the program wants a second window for the lecturer.
  bool wantsSpeakerWindow() const;
  /// Sets the list into which frames draw the speaker's window, and the window's size. Null: there
  /// is no such window.
  void setSpeakerWindow(ImDrawList* list, ImVec2 size = {});
  /// Returns, once for each scene of a lecture, a request for a picture of the next one, for the
  /// speaker's window; without a path. The host sets what it drew.
  std::optional<PictureRequest> takeNextSlide();
  void setNextSlide(ImTextureID picture, ImVec2 size);
  /// Reports that the user closed the speaker's window, or, with `why`, that it could not be
  /// opened.
  void speakerWindowGone(const std::string& why = {});
  /// The interface scale for which the fonts must be loaded.
  float scale() const;
  ImU32 background() const;
  gl::Scene& scene();
  /// Runs the host's own background work too.
  Scheduler& scheduler();

  /// Applies an edit as the interface does. Consecutive edits with the same non-empty gesture form
  /// one entry of the history. A refusal appears in the status bar.
  void apply(const Edit& edit, const std::string& gesture = "");
  void dropFiles(const std::vector<std::filesystem::path>& paths);
  /// Leaves the open lesson, if any; the next frame shows what was before it.
  void leaveLesson();
  /// Opens the session in a link (link.h). A failure appears in the status bar.
  void openLink(const std::string& link);
  void copyLink();
  /// Sets the host's own dialog for files, or for a folder. The host passes the choice to
  /// dropFiles().
  void onChooseFiles(std::function<void(bool folder)> choose);
  /// Sets how the host finds the bytes of the picture that another program has copied, none where
  /// it has copied none; null: it cannot.
  void onPastePicture(std::function<std::string()> copied);
  /// Shows a sentence in the status bar.
  void say(const std::string& sentence, bool isError);
  /// The settings that this machine keeps between runs.
  Settings& settings();

  /// Offers to copy pictures: the host puts what takePictureRequest() asks for onto the clipboard.
  void offerCopies();
  /// Returns the picture that the user asked for, once. The host draws it between two frames and
  /// passes pictureDrawn() a function that writes it on another thread and throws UserError on
  /// failure.
  std::optional<PictureRequest> takePictureRequest();
  void pictureDrawn(const PictureRequest& request, std::function<void()> write);
  /// Sets the formats of films that the host can make; before this call none is offered.
  void offerFilms(std::vector<FilmKind> kinds);
  /// Reports how many pictures of a film are drawn. Returns false once the user has stopped it: the
  /// host drops it and calls filmStopped().
  bool reportFilmProgress(const FilmProgress& progress);
  void filmStopped();
  /// Shows the step of the filmed run.
  void lookAt(Index step);

  /// Waits for the newest document's trace, the computations of the panels and all saving
  /// (offscreen and tests). Returns whether the next frame has results to take; that frame may
  /// request more.
  bool finish();

  /// Ends all computations, because no further frame follows. Writing continues.
  void stop();

  const DocumentPtr& document() const;
  const TracePtr& trace() const;
  ui::ViewState& view();
  /// The window's title: "• lecture · headscope", with the dot while something is unsaved.
  std::string title() const;
  const std::string& message() const;  // the text of the status bar

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
