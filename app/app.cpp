#include "app/app.h"

#include <new>
#include <utility>

#include "app/app_state.h"
#include "app/ui/frame_recovery.h"
#include "app/ui/status_bar.h"
#include "app/ui/window_layout.h"

namespace headscope {
namespace {

/// A first result that takes longer is shown when it is there.
constexpr double kPatience = 0.15;

}  // namespace

App::App(AppOptions options) : state_(std::make_unique<State>(std::move(options))) {
  if (state_->trace != nullptr && state_->trace->documentPtr() == document()) return;
  state_->trace = nullptr;
  state_->worker.request(state_->history.current());
}

App::~App() = default;

void App::awaitFirst() {
  if (state_->trace != nullptr) return;
  state_->worker.wait(kPatience);
  state_->takeResult();
  if (state_->trace == nullptr && state_->messageIsError) throw UserError(state_->message);
}

void App::frame(const ui::Fonts& fonts, double now) {
  const ui::FrameRecovery recovery;
  try {
    state_->build(fonts, now);
  } catch (const std::bad_alloc&) {
    recovery.recover();
    state_->noMemory(fonts);
  }
}

void App::State::build(const ui::Fonts& fonts, double now) {
  wantsFrame = false;
  nextChange = ui::kNever;
  if (std::exchange(requestAgain, false)) worker.request(history.current());
  takeResult();
  takeExported();
  followSession();
  saveIfDue();
  exportIfDue();
  for (const auto& path : std::exchange(dropped, {})) openFile(path);

  const ui::Theme& theme = ui::theme(view.theme);
  const ImGuiIO& io = ImGui::GetIO();
  scene.clear();
  scene.displayWidth = io.DisplaySize.x;
  scene.displayHeight = io.DisplaySize.y;
  scene.pixelsPerPoint = io.DisplayFramebufferScale.x > 0.0F ? io.DisplayFramebufferScale.x : 1.0F;
  ui::colorScene(scene, theme);

  ui::beginRoot();
  if (io.MouseDelta.x != 0.0F || io.MouseDelta.y != 0.0F) mouseMovedAt = now;
  const ui::Look look{theme,       fonts,      maps, scene, typed, now, scale(), now - mouseMovedAt,
                      &wantsFrame, &nextChange};
  if (trace) {
    keepViewValid();
    ui::EditSink edits;
    compare();
    const TracePtr held = comparison.trace();
    const ui::Panel panel{*history.current(),
                          *trace,
                          trace,
                          view,
                          edits,
                          look,
                          computations,
                          magnitudes,
                          explanations,
                          &history,
                          reference(held),
                          flash.at(now, computations, &wantsFrame),
                          designed.of(trace),
                          presenter.on() || !view.focus.empty()};
    computations.setHandMoves(history.gestureGoesOn());
    ui::advancePlayback(panel, playback);
    ui::beginCellEditing(panel, editing);
    keys(panel);
    ui::followPlayback(panel, playback);
    look.changesIn(ui::nextChange(panel, playback));
    panels(panel);
    flash.measure(now, computations);
    sessionWindows(look);
    overlays(panel);
    applyEdits(edits);
    if (saveWhenDone) look.changesIn(ui::kProgressPace);
    if (history.gestureGoesOn() && !ImGui::IsAnyItemActive() && !edits.gestureGoesOn) {
      history.endGesture();
      wantsFrame = true;  // what waits for the hand to rest is asked for in the next frame
    }
  } else {
    ui::firstPass(look, history.current()->config, {message, messageIsError, worker.progress()});
  }
  ui::endRoot();
}

void App::onWake(std::function<void()> wake) {
  state_->exporting.setWake(wake);
  state_->computations.setWake(wake);
  state_->comparison.setWake(wake);
  state_->store.onWake(wake);
  state_->worker.setWake(std::move(wake));
}
bool App::wantsFrame() const { return state_->wantsFrame; }
double App::nextChange() const { return state_->nextChange; }
bool App::wantsFullScreen() const { return state_->presenter.on(); }
float App::scale() const { return state_->scale(); }
ImU32 App::background() const { return ui::theme(state_->view.theme).window; }
gl::Scene& App::scene() { return state_->scene; }

void App::apply(const Edit& edit, const std::string& gesture) { state_->apply(edit, gesture); }

void App::dropFiles(const std::vector<std::filesystem::path>& paths) {
  state_->dropped.insert(state_->dropped.end(), paths.begin(), paths.end());
}

bool App::finish() {
  state_->worker.wait();
  state_->takeResult();
  state_->exporting.wait();
  bool news = state_->computations.finish();
  state_->comparison.finish();
  state_->store.finish();
  return news;
}

const DocumentPtr& App::document() const { return state_->history.current(); }
const TracePtr& App::trace() const { return state_->trace; }
ui::ViewState& App::view() { return state_->view; }
std::string App::title() const {
  const std::string name = state_->store.name();
  if (name.empty()) return "headscope";
  return (state_->store.unsaved(document()) ? "• " : "") + name + " · headscope";
}
const std::string& App::message() const { return state_->message; }

}  // namespace headscope
