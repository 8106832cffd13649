#include "app/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "app/app_state.h"
#include "app/filmed_run.h"
#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_recovery.h"
#include "app/ui/model/image_view.h"
#include "app/ui/status_bar.h"
#include "app/ui/window_layout.h"
#include "app/view_json.h"
#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/base/memory_budget.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace_gradients.h"
#include "core/presets/presets.h"
#include "core/training/learned_weights.h"

namespace headscope {
namespace {

/// The longest wait for the first result; a later one is shown when it is ready.
constexpr double kPatience = 0.15;

Index budgetOf(Index given) { return given > 0 ? given : defaultMemoryBudget(); }

/// The largest result whose changes flash, in bytes. For larger ones, keeping and comparing the
/// previous trace would cost more than the edit.
constexpr Index kFlashed = 64'000'000;

}  // namespace

App::State::State(AppOptions o)
    : view(o.view),
      documents(scheduler,
                o.history ? *o.history : History(std::move(o.document), budgetOf(o.memoryBudget)),
                std::move(o.trace), budgetOf(o.memoryBudget), o.threads, std::move(o.learned)),
      model(scheduler, documents.memoryBudget(), o.model != nullptr ? *o.model : ShownModel(),
            view.model.place),
      sessions(scheduler, documents, view, model.live,
               {documents.newest(), std::move(o.sessionPath), std::move(o.scenes), o.stateFolder,
                std::move(o.noStateFolder), documents.history().mark(), std::move(o.models),
                o.sessionContent, o.sessionContent ? viewToJson(view) : std::string()}),
      training(scheduler, documents.memoryBudget(), std::move(o.training),
               o.filmed != nullptr ? o.filmed->task : nullptr),
      language(scheduler, documents.memoryBudget(),
               o.stateFolder.empty() ? o.stateFolder : o.stateFolder / "models",
               std::move(o.language), o.filmed != nullptr ? o.filmed->language : nullptr),
      shapes(scheduler, documents.memoryBudget(), std::move(o.shapes)),
      headCounts(scheduler, documents.memoryBudget(), std::move(o.headCounts)),
      scaleStudy(scheduler, documents.memoryBudget(), std::move(o.scaleStudy)),
      exports(scheduler, documents, training, language, shapes, model.live, std::move(o.tracePath)),
      reference(scheduler, o.threads, std::move(o.compared)),
      maps(ui::ColorMaps::load()),
      progress(o.stateFolder),
      pastedPictures(o.stateFolder.empty() ? o.stateFolder : o.stateFolder / "pictures"),
      settings(std::move(o.stateFolder)),
      languages(std::move(o.languages)),
      slide(o.slide),
      embedded(o.embedded) {
  sessions.setLinkBase(std::move(o.linkBase));
  lesson.setDone(progress.scenes());
  if (o.firstLook) firstLook.open(*documents.newest(), view);
  // tokens in the given view take precedence
  if (view.heads.query >= 0 || view.heads.key >= 0) viewOpened();
  const formats::SavedScene* first = sessions.store().scene(o.scene);
  if (first != nullptr) {
    documents.history().apply(Open{first->document, trFormat("scene {}", o.scene)});
    sessions.openedAt(o.scene);
  }
  documents.start();
  if (o.learns) documents.learnAtStart();
}

App::App(AppOptions options) : state_(std::make_unique<State>(std::move(options))) {}

App::~App() = default;

void App::awaitFirst() {
  if (trace() != nullptr) return;
  state_->documents.wait(kPatience);
  state_->takeResult();
  const DocumentEditor::Message& said = state_->documents.message();
  if (trace() == nullptr && said.isError) throw UserError(said.text);
}

void App::frame(const ui::Fonts& fonts, double now) {
  const ui::FrameRecovery recovery;
  try {
    state_->build(fonts, now);
  } catch (const std::bad_alloc&) {
    recovery.recover();
    state_->noMemory(fonts);
  } catch (...) {  // ends the frame, so that the host can say what happened and close
    recovery.recover();
    ImGui::EndFrame();
    throw;
  }
}

/// Lists all parts that work between frames, in the order in which they begin a frame and finish.
std::vector<BackgroundPart> App::State::makeParts() {
  const auto followDocuments = [this](double) {
    documents.askAgain();
    documents.learnAtNewSizes(view.preferences.learnHeads);
    documents.takeLearned();
    takeResult();
  };
  const auto followSessions = [this](double) {
    followLesson();  // before the view of an opened session comes
    sessions.setOwnView(own.view());
    if (!sessions.follow()) return;
    trainHistory.reset();
    viewOpened();
    playback = {};  // the new view has its own position on the timeline
  };
  const auto followReference = [this](double) {
    reference.follow(tools.open(view.selection.tool).reference(), view.selection, documents);
  };
  const auto followModel = [this](double now) {
    model.follow(view.model.place, sessions.takeModelAsked(), documents, now);
  };
  const auto beginComputations = [this](double) {
    computations.beginFrame(documents.history().gestureContinues() || documents.learning());
  };
  return {
      {documents, followDocuments},
      {exports, [this](double) { exports.takeOutcome(); }},
      {sessions, followSessions},
      {training, [this](double now) { training.follow(now); }},
      {language, [this](double now) { language.follow(now); }},
      {shapes, [this](double now) { shapes.follow(now); }},
      {model, followModel},
      {headCounts, [this](double) { headCounts.follow(); }},
      {scaleStudy, [this](double) { scaleStudy.follow(); }},
      {computations, beginComputations},
      {reference, followReference},
  };
}

void App::State::build(const ui::Fonts& fonts, double now) {
  wantsFrame = false;
  nextChange = ui::kNever;
  for (const BackgroundPart& part : parts) part.beginFrame(now);
  openDropped();  // after them, so that the pass of an opened file is first shown by the next frame
  followLesson();
  startExport();

  const ui::Theme& theme = ui::theme(view.preferences.theme, view.preferences.palette);
  const ImGuiIO& io = ImGui::GetIO();
  scene.clear();
  scene.displayWidth = io.DisplaySize.x;
  scene.displayHeight = io.DisplaySize.y;
  scene.pixelsPerPoint = io.DisplayFramebufferScale.x > 0.0F ? io.DisplayFramebufferScale.x : 1.0F;
  ui::colorScene(scene, theme);

  ui::beginRoot();
  if (io.MouseDelta.x != 0.0F || io.MouseDelta.y != 0.0F) {
    mouseMovedAt = now;
    clickedHere = false;
    view.frame.unfolded = false;
  }
  if (ImGui::IsMouseClicked(0)) view.frame.unfolded = false;
  clickedHere = clickedHere || ImGui::IsMouseClicked(0);
  ui::FrameContext look{theme,       fonts,       maps,        scene,
                        typed,       now,         scale(),     now - mouseMovedAt,
                        clickedHere, &wantsFrame, &nextChange, view.preferences.colorMaps};
  look.sought = &lesson.pointer().sought();
  look.still = !view.selection.focus.empty();
  const std::optional<ui::TokenPictures> pictures = ui::picturesInFlow(model.live);
  if (pictures) look.pictures = &*pictures;
  if (!pictures && documents.trace() != nullptr) {
    look.pictures = inputPicture.of(documents.trace()->document());
  }
  if (const TracePtr newest = documents.trace()) {
    const TracePtr trace = withPictures(shownTrace(newest));
    keepViewValid();
    ui::FrameCommands commands;
    const DocumentPtr shown = documents.shown();
    const ui::PanelContext panel{
        .document = *shown,
        .trace = *trace,
        .traceHeld = trace,
        .view = view,
        .selection = view.selection,
        .preferences = view.preferences,
        .frame = view.frame,
        .stageView = view.stage,
        .headsView = view.heads,
        .trainView = view.train,
        .modelView = view.model,
        .commands = commands,
        .look = look,
        .computations = computations,
        .magnitudes = magnitudes,
        .explanations = explanations,
        .learnedLayers = documents.learnedLayers(),
        .history = &documents.history(),
        .reference = reference.current(),
        .flash = flash.at(now, computations, &wantsFrame),
        .purposes = purposes.of(newest),
        .gradientsProblem = gradientsProblem,
        .gradientsOf = gradientsOfWhat,
        .slide = slide || (presenter.on() && !lecture.forTheRoom().counter.empty()),
        .alone = presenter.on() || embedded || !view.selection.focus.empty(),
        .hostHasDialog = chooseFiles != nullptr,
        .copiesPictures = copiesPictures,
        .recent = &settings.now().recent,
        .languages = &languages,
        .filmable = !filmable().empty(),
    };
    ui::advancePlayback(panel, playback);
    ui::beginCellEditing(panel, editing);
    keys(panel);
    view.frame.gradientsThere = view.selection.gradients && trace->gradients() != nullptr;
    keepViewValid();  // a scene may have been recalled
    ui::followPlayback(panel, playback);
    look.changesIn(ui::nextChange(panel, playback));
    panels(panel);
    for (const auto due : {training.dueIn(), language.dueIn(), shapes.dueIn()}) {
      if (!due) continue;
      look.changesIn(*due);
      wantsFrame = wantsFrame || *due <= 0.0;
    }
    wantsFrame = wantsFrame || headCounts.due() || scaleStudy.due() || model.generation.due();
    flash.measure(now, computations);
    sessions.windows(look, offerTop, settings.now().recent, commands);
    overlays(panel);
    lecture.drawSpeaker(look);
    run(commands);
    followSettings();
    clearMessage(look);
    const bool progresses = exports.waits() || documents.learning() || sessions.linkTask().busy();
    if (progresses) look.changesIn(ui::kProgressPace);
    History& history = documents.history();
    if (history.gestureContinues() && !ImGui::IsAnyItemActive() &&
        !commands.has<ui::KeepGesture>()) {
      history.endGesture();
      wantsFrame = true;  // work that waits for the end of a gesture is requested in the next frame
    }
  } else {
    const DocumentEditor::Message& said = documents.message();
    ui::firstPass(look, documents.newest()->config,
                  {said.text, said.isError, documents.progress()});
  }
  ui::endRoot();
}

/// Returns whether two configurations have the same tensors, of one shape each.
static bool sameShapes(const AttentionConfig& a, const AttentionConfig& b) {
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (has(a, id) != has(b, id) || shapeOf(id, a) != shapeOf(id, b)) return false;
  }
  return true;
}

/// Returns the newest pass; where gradients are shown, the newest one that has them.
TracePtr App::State::shownTrace(const TracePtr& newest) {
  view.frame.gradientsThere = false;
  gradientsProblem = {};
  if (!view.selection.gradients) return newest;
  const GradientTarget target = gradientTargets.of(*newest, model.live, view.model);
  gradientsOfWhat = target.inWords;
  const auto with = computations.request<TracePtr>(
      "gradients", target.key, ui::Schedule::background, [&newest, &target] {
        return [newest, gradOutput = target.gradOutput](
                   const std::atomic<bool>& cancelled) -> std::optional<TracePtr> {
          checkGradientsFit(newest->config(), defaultMemoryBudget());
          const ExecutionContext execution{0, &cancelled};
          const std::optional<Tensor> outputGradient = gradOutput(execution);
          if (!outputGradient) return std::nullopt;
          const GradientsPtr gradients = gradientsOf(newest, *outputGradient, execution);
          if (gradients == nullptr) return std::nullopt;
          return withGradients(*newest, gradients);
        };
      });
  gradientsProblem = with.problem;
  // uses gradients of an older pass if only its values differ
  const TracePtr* there = with.current != nullptr ? with.current : with.last;
  if (there == nullptr || !sameShapes((*there)->config(), newest->config())) return newest;
  view.frame.gradientsThere = true;
  return *there;
}

/// Adds small pictures of scores that do not fit into memory; the heads page makes its own.
TracePtr App::State::withPictures(const TracePtr& trace) {
  if (view.selection.page != ui::kFlowPage) return trace;
  const AttentionConfig& c = trace->config();
  return smallScores.shown(trace, std::clamp<Index>(view.selection.item, 0, c.batch - 1),
                           std::clamp<Index>(view.selection.head, 0, c.numHeads - 1), computations);
}

void App::State::takeResult() {
  const std::optional<TracePtr> before = documents.takeResult();
  if (!before) return;
  const TracePtr& trace = documents.trace();
  // nothing flashes during learning, because everything changes all the time
  const bool flashes = view.preferences.animate && !documents.learning() &&
                       ledger(trace->config()).resultBytes <= kFlashed;
  flash.start(flashes ? *before : nullptr, trace);
}

/// Clears the status bar's message once it has been there long enough to be read.
void App::State::clearMessage(const ui::FrameContext& look) {
  constexpr double kLeast = 8.0, kLeastOfError = 20.0;  // seconds
  constexpr double kEachLetter = 0.06;                  // a slow reader's pace
  const DocumentEditor::Message& said = documents.message();
  if (said.text.empty()) return;
  if (std::exchange(messageShown, said.number) != said.number) messageShownAt = look.now;
  const double time =
      (said.isError ? kLeastOfError : kLeast) + kEachLetter * static_cast<double>(said.text.size());
  const double left = messageShownAt + time - look.now;
  if (left > 0.0) return look.changesIn(left);
  documents.say({});
  wantsFrame = true;
}

/// Sets the user's own work aside while a lesson is open, and brings it back afterwards.
void App::State::followLesson() {
  const bool sessionOpened = own.aside() && !documents.ownIsAside();
  if (sessionOpened) lesson.leave();
  if (lesson.asked()) {
    own.setAside(lesson.asksForModel());
  } else if (own.aside() && !lesson.open()) {
    own.bringBack();
  } else {
    return;
  }
  if (lesson.takeListAsked()) view.selection.page = ui::kLearnPage;
  if (const DocumentPtr kept = lesson.takeKept()) documents.open(kept, tr("kept from a lesson"));
  flash.start(nullptr, documents.trace());
  playback = {};
  viewOpened();
  wantsFrame = true;
}

/// Draws a message instead of a frame for which memory ran out; no panel can be relied upon to show
/// it.
void App::State::noMemory(const ui::Fonts& fonts) {
  const char* const kSentence =
      tr("There is not enough memory to draw this: close other programs, or choose smaller sizes. "
         "Nothing is lost.");
  documents.noteNoMemory();
  nextChange = 1.0;  // memory may be free by then
  const ui::Theme& theme = ui::theme(view.preferences.theme, view.preferences.palette);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImDrawList* over = ImGui::GetForegroundDrawList();
  over->AddRectFilled({0, 0}, size, theme.window);
  const float margin = 12.0F * scale();
  over->AddText(fonts.regular, ui::fontSize(fonts.regular), {margin, margin}, theme.bad, kSentence,
                nullptr, size.x - 2 * margin);
}

void App::onWake(const std::function<void()>& wake) {
  for (const BackgroundPart& part : state_->parts) part.setWake(wake);
}
bool App::wantsFrame() const { return state_->wantsFrame; }
double App::nextChange() const { return state_->nextChange; }
bool App::wantsSpeakerWindow() const { return state_->lecture.speakerWanted(); }
void App::setSpeakerWindow(ImDrawList* list, ImVec2 size) {
  state_->lecture.setSpeakerWindow(list, size);
}
void App::say(const std::string& sentence, bool isError) {
  state_->documents.say(sentence, isError);
}
void App::speakerWindowGone(const std::string& why) {
  setSpeakerWindow(nullptr);
  state_->lecture.speakerGone(why);
  if (!why.empty()) state_->documents.say(why, true);
}
bool App::wantsFullScreen() const { return state_->presenter.on(); }
float App::scale() const { return state_->scale(); }
ImU32 App::background() const {
  return ui::theme(state_->view.preferences.theme, state_->view.preferences.palette).window;
}
gl::Scene& App::scene() { return state_->scene; }
Scheduler& App::scheduler() { return state_->scheduler; }

void App::apply(const Edit& edit, const std::string& gesture) {
  state_->documents.apply(edit, gesture);
}

void App::copyLink() { state_->sessions.copyLink(); }

void App::onChooseFiles(std::function<void(bool folder)> choose) {
  state_->chooseFiles = std::move(choose);
}

void App::offerCopies() { state_->copiesPictures = true; }

void App::onPastePicture(std::function<std::string()> copied) {
  state_->copiedPicture = std::move(copied);
}

Settings& App::settings() { return state_->settings.now(); }

void App::openLink(const std::string& link) { state_->linkToOpen = link; }

void App::dropFiles(const std::vector<std::filesystem::path>& paths) {
  state_->dropped.insert(state_->dropped.end(), paths.begin(), paths.end());
}

void App::leaveLesson() { state_->lesson.leave(); }

bool App::finish() {
  bool news = false;
  for (const BackgroundPart& part : state_->parts) news = part.finish() || news;
  state_->takeResult();
  return news;
}

void App::stop() {
  state_->followSettings();
  for (const BackgroundPart& part : state_->parts) part.stop();
}

const DocumentPtr& App::document() const { return state_->documents.newest(); }
const TracePtr& App::trace() const { return state_->documents.trace(); }
ui::ViewState& App::view() { return state_->view; }
std::string App::title() const {
  const ui::SessionMenu session = state_->sessions.menu();
  if (session.name.empty()) return "headscope";
  return (session.unsaved ? "• " : "") + session.name + " · headscope";
}
const std::string& App::message() const { return state_->documents.message().text; }

}  // namespace headscope
