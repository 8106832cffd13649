// App::State: the parts of the program, and the handling of a frame's commands: app.cpp (a frame),
// app_panels.cpp (the panels: positions, inputs and requests), app_keys.cpp (the keyboard),
// app_files.cpp (files). Between frames the parts work independently.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "app/app.h"
#include "app/background_part.h"
#include "app/comparison.h"
#include "app/document_editor.h"
#include "app/exports.h"
#include "app/gradient_target.h"
#include "app/input_picture.h"
#include "app/lecture.h"
#include "app/live_language.h"
#include "app/live_shapes.h"
#include "app/live_study.h"
#include "app/live_training.h"
#include "app/open_model.h"
#include "app/own_work.h"
#include "app/progress.h"
#include "app/scheduler.h"
#include "app/sessions.h"
#include "app/settings.h"
#include "app/train_history.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/color_maps.h"
#include "app/ui/control_focus.h"
#include "app/ui/first_look.h"
#include "app/ui/flow_page.h"
#include "app/ui/frame_commands.h"
#include "app/ui/head_purposes.h"
#include "app/ui/help.h"
#include "app/ui/learn/lesson_run.h"
#include "app/ui/parts/flash.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/small_scores.h"
#include "app/ui/presenter.h"
#include "app/ui/search.h"
#include "app/ui/status_bar.h"
#include "app/ui/text_field.h"
#include "app/ui/token_row.h"
#include "app/ui/tools/tools.h"
#include "app/ui/top_bar.h"
#include "core/document/trace.h"
#include "core/words/arithmetic.h"

namespace headscope {

struct App::State {
  explicit State(AppOptions o);

  // a frame
  std::vector<BackgroundPart> makeParts();
  void build(const ui::Fonts& fonts, double now);
  void noMemory(const ui::Fonts& fonts);
  void takeResult();
  TracePtr shownTrace(const TracePtr& newest);
  TracePtr withPictures(const TracePtr& trace);
  void openDropped();
  void openPath(const std::filesystem::path& path);
  void openLesson(const std::filesystem::path& path);
  void openPicture(const std::filesystem::path& path);
  bool pastePicture();
  void openTexts(const std::filesystem::path& path);
  void followLesson();
  void startExport();
  std::string pictureInWords(const ui::ViewState& shown) const;
  std::vector<FilmOf> filmable() const;
  void keepViewValid();
  void followSettings();
  void clearMessage(const ui::FrameContext& look);
  /// Tells the pages that the view's selection takes precedence over the cards' own defaults.
  void viewOpened() const {
    for (const auto& page : pages.all()) page->viewOpened(view);
  }

  // the commands of a frame
  void run(const ui::FrameCommands& commands);
  void openPreset(const ui::OpenPreset& opened);
  void compareWith(std::size_t index);
  void beginLesson(std::string_view id);
  bool modelIsShown() const { return view.selection.page == ui::kModelPage; }
  bool trainIsShown() const { return view.selection.page == ui::kTrainPage; }
  bool layerIsShown() const { return pages.open(view.selection.page).editsLayer(); }
  /// Undoes or repeats an edit of what the shown page edits: the model, or the layer.
  void undo(bool again);

  float scale() const {
    return presenter.on() ? ui::presentedScale(view.preferences.scale) : view.preferences.scale;
  }

  // the keyboard
  void keys(const ui::PanelContext& panel);

  // the panels
  ui::Pages makePages();
  void panels(const ui::PanelContext& panel);
  void wholeWindow(const ui::PanelContext& panel);
  void bars(const ui::PanelContext& panel, const ui::Rect& top, const ui::Rect& tokens);
  void sidePanel(const ui::PanelContext& panel, ui::Rect& room);
  bool startShown() const { return progress.startOpen() && view.selection.page == ui::kFlowPage; }
  void scrollIntoSight(const ui::Page& page, const std::vector<ui::Rect>& places, float height);
  void body(const ui::PanelContext& panel, const ui::Rect& at);
  void spotlight(const ui::PanelContext& panel, const ui::Page& page,
                 const std::vector<ui::Rect>& places, ImVec2 origin) const;
  void cardByCard(const ui::PanelContext& panel, ui::Rect at);
  void drawCard(const ui::PanelContext& panel, const ui::Page& page, ui::Card& card,
                const ui::Rect& at);
  void guide(const ui::PanelContext& panel, const ui::Rect& at);
  void oneCard(const ui::PanelContext& panel, std::string_view id, ui::Rect at);
  std::optional<ui::Status::Learning> learningNow() const;
  void overlays(const ui::PanelContext& panel);

  Scheduler scheduler;  // outlives all parts that request work

  // what is shown, and the parts that work between frames
  ui::ViewState view;
  DocumentEditor documents;
  OpenModel model;
  Sessions sessions;
  LiveTraining training;
  LiveLanguage language;
  LiveShapes shapes;
  LiveStudy headCounts, scaleStudy;
  TrainHistory trainHistory;
  Exports exports;
  ReferencePass reference;
  OwnWork own{
      {view, documents, reference, training, language, shapes, headCounts, scaleStudy, model}};
  ui::Computations computations{scheduler};
  std::vector<BackgroundPart> parts = makeParts();

  // shared by the panels
  ui::ColorMaps maps;
  gl::Scene scene;
  ui::Magnitudes magnitudes;
  ui::BackgroundSmallScores smallScores;
  InputPicture inputPicture;
  Explanations explanations;
  ui::PurposesOfPass purposes;
  ui::Flash flash;
  ui::TypedText typed;
  ui::Playback playback;
  ui::CellEditing editing;
  ui::ScenesPanel scenes;

  // lessons and lectures
  ui::FirstLook firstLook;
  ui::LessonRun lesson;
  Lecture lecture{lesson, sessions};
  StoredProgress progress;
  std::filesystem::path pastedPictures;  // the folder that keeps them; empty: none
  StoredSettings settings;
  std::optional<CellRef> cellBefore;  // the chosen cell, and the head, in the last frame
  Index headBefore = 0;
  std::filesystem::path sessionNoted;  // the session last noted among the recent files

  // the window
  std::vector<std::string> languages;  // of the interface, English first
  bool slide;                          // as in AppOptions
  bool embedded;                       // it shows one card only
  ui::TopBar topBar;
  ui::TokenRow tokenRow;
  ui::Cards tools = ui::makeTools();
  ui::Pages pages = makePages();
  ui::Presenter presenter{pages, view};
  ui::ControlFocus controls;
  ui::Help help;
  ui::Search search;
  std::string cardShown;  // the id of the single card shown in a narrow window; empty: the guide
  std::optional<float> offerTop;  // the top of the offer to restore unsaved work; none: no offer

  // from the host, and for it
  std::vector<std::filesystem::path> dropped;
  std::string linkToOpen;
  std::function<void(bool folder)> chooseFiles;  // its own file dialog; null: it has none
  std::function<std::string()> copiedPicture;    // null: it reads no such
  bool copiesPictures = false;                   // the host can
  std::optional<PictureRequest> pictureAsked;    // a picture that it has not drawn yet
  std::vector<FilmKind> filmKinds;               // the films that it can make

  // the present frame
  bool wantsFrame = false;
  double nextChange = ui::kNever;
  double mouseMovedAt = 0.0;
  int messageShown = 0;         // the number of the message in the status bar …
  double messageShownAt = 0.0;  // … and when it appeared
  bool clickedHere = false;     // a click at this position; the mouse has not moved since
  GradientTargets gradientTargets;
  std::string gradientsOfWhat = {};
  std::string_view gradientsProblem;
};

}  // namespace headscope
