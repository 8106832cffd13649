// App::State: the parts of the program, and what it does with a frame's wishes: app.cpp (a frame),
// app_panels.cpp (where the panels stand, what they are given and ask for), app_keys.cpp (the
// keyboard). What the parts do between frames they do by themselves.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "app/app.h"
#include "app/comparison.h"
#include "app/document_editor.h"
#include "app/exports.h"
#include "app/lecture.h"
#include "app/live_generation.h"
#include "app/live_model.h"
#include "app/live_study.h"
#include "app/live_training.h"
#include "app/progress.h"
#include "app/sessions.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/control_focus.h"
#include "app/ui/first_look.h"
#include "app/ui/flow_page.h"
#include "app/ui/head_purposes.h"
#include "app/ui/help.h"
#include "app/ui/learn/lesson_run.h"
#include "app/ui/parts/flash.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/small_scores.h"
#include "app/ui/presenter.h"
#include "app/ui/status_bar.h"
#include "app/ui/text_field.h"
#include "app/ui/token_row.h"
#include "app/ui/tools/tools.h"
#include "app/ui/top_bar.h"
#include "core/words/arithmetic.h"

namespace headscope {

/// What the heads of the pass on the screen are for, found once per pass.
class PurposesOfPass {
 public:
  const std::vector<ui::HeadPurpose>* of(const TracePtr& trace) {
    if (of_.lock() != trace) {
      heads_ = ui::headPurposes(trace->document());
      of_ = trace;
    }
    return &heads_;
  }

 private:
  std::weak_ptr<const Trace> of_;
  std::vector<ui::HeadPurpose> heads_;
};

struct App::State {
  explicit State(AppOptions o);

  // a frame
  void build(const ui::Fonts& fonts, double now);
  void noMemory(const ui::Fonts& fonts);
  void takeResult();
  TracePtr shownTrace(const TracePtr& newest);
  TracePtr withPictures(const TracePtr& trace);
  void openDropped();
  void followModel(double now);
  void openLesson(const std::filesystem::path& path);
  void startExport();
  std::string pictureInWords(const ui::ViewState& shown) const;
  void keepViewValid();
  /// What is chosen in the view holds, whatever the cards would choose by themselves.
  void viewOpened() const {
    for (const auto& page : pages.all()) page->viewOpened(view);
  }
  void applyEdits(const ui::FrameCommands& sink);
  void openPreset(const ui::OpenedPreset& opened);
  void compareWith(std::size_t index);
  float scale() const { return presenter.on() ? ui::presentedScale(view.scale) : view.scale; }

  // the keyboard
  void keys(const ui::PanelContext& panel);

  // the panels
  ui::Pages makePages();
  void panels(const ui::PanelContext& panel);
  void wholeWindow(const ui::PanelContext& panel);
  void bars(const ui::PanelContext& panel, const ui::Rect& top, const ui::Rect& tokens);
  void panelBeside(const ui::PanelContext& panel, ui::Rect& room);
  bool startShown() const {
    return (startAsked || (!stateFolder.empty() && !startClosed)) && view.page == ui::kFlowPage;
  }
  void keepProgress();
  void scrollIntoSight(const ui::Page& page, const std::vector<ui::Rect>& places, float height);
  void body(const ui::PanelContext& panel, const ui::Rect& at);
  void cardByCard(const ui::PanelContext& panel, ui::Rect at);
  void drawCard(const ui::PanelContext& panel, const ui::Page& page, ui::Card& card,
                const ui::Rect& at);
  void guide(const ui::PanelContext& panel, const ui::Rect& at);
  void oneCard(const ui::PanelContext& panel, std::string_view id, ui::Rect at);
  std::optional<ui::Status::Learning> learningNow() const;
  void overlays(const ui::PanelContext& panel);
  void speakerWindow(const ui::FrameContext& look);

  ui::ViewState view;
  DocumentEditor documents;
  LiveModel model;
  Sessions sessions;
  LiveTraining training;
  LiveGeneration generation;
  ui::ModelPlace modelPlace;     // the location last shown or requested
  std::uint64_t modelShown = 0;  // the moment that it is of
  LiveStudy headCounts, scaleStudy;
  Exports exports;
  ReferencePass reference;
  std::optional<PictureRequest> pictureAsked;  // waits for the host
  std::vector<std::filesystem::path> dropped;
  std::string linkToOpen;
  std::function<void(bool folder)> chooseFiles;  // the host's own dialog; null: it has none

  // what the panels share
  ui::ColorMaps maps;
  gl::Scene scene;
  ui::Computations computations;
  ui::Magnitudes magnitudes;
  ui::SmallScoresBeside smallScores;
  Explanations explanations;
  PurposesOfPass purposes;
  ui::Flash flash;
  ui::TypedText typed;
  ui::Playback playback;
  ui::CellEditing editing;
  ui::ScenesPanel scenes;
  ui::FirstLook firstLook;
  ui::LessonRun lesson;
  Lecture lecture{lesson, sessions};
  ImDrawList* speakerList = nullptr;  // of the host's second window
  ImVec2 speakerSize{0.0F, 0.0F};
  bool embedded;                      // one card is all there is
  std::filesystem::path stateFolder;  // empty: nothing is kept on this machine
  Progress progress;                  // as it is kept there
  bool startClosed = false;
  bool startAsked = false;  // where to begin is shown again, for this time

  ui::TopBar topBar;
  ui::TokenRow tokenRow;
  ui::Cards tools = ui::makeTools();
  ui::Pages pages = makePages();
  ui::Presenter presenter{pages};
  ui::ControlFocus controls;
  ui::Help help;

  // of the frame
  bool wantsFrame = false;
  double nextChange = ui::kNever;
  double mouseMovedAt = 0.0;
  bool clickedHere = false;  // the mouse has not moved since
  std::string_view gradientsProblem;
  std::string cardShown;  // where there is room for one, by its id; empty: the guide
  float offerTop = 0.0F;  // where it is offered to restore what was not saved
};

}  // namespace headscope
