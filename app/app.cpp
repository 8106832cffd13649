#include "app/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "app/open_file.h"
#include "app/ui/compat.h"
#include "app/ui/flow/flow_panel.h"
#include "app/ui/head_grid.h"
#include "app/ui/heads_strip.h"
#include "app/ui/inspector.h"
#include "app/ui/stage.h"
#include "app/ui/status_bar.h"
#include "app/ui/steps_rail.h"
#include "app/ui/token_row.h"
#include "app/ui/top_bar.h"
#include "app/ui/view_menu.h"
#include "app/ui/widgets.h"
#include "app/ui/window_layout.h"
#include "app/worker.h"
#include "core/formats/state_dict.h"
#include "core/ledger.h"
#include "core/presets.h"

namespace headscope {
namespace {

/// A first result that takes longer is shown when it is there.
constexpr double kPatience = 0.15;

}  // namespace

struct App::State {
  explicit State(AppOptions o)
      : memoryBudget(o.memoryBudget > 0 ? o.memoryBudget : defaultMemoryBudget()),
        tracePath(std::move(o.tracePath)),
        view(o.view),
        maps(ui::ColorMaps::load()),
        history(std::move(o.document), memoryBudget),
        worker(o.threads) {}

  void takeResult();
  void say(std::string sentence, bool error = false) {
    message = std::move(sentence);
    messageIsError = error;
  }
  /// Does it, or says why it cannot be done.
  void attempt(const std::function<void()>& action);
  void apply(const Edit& edit, const std::string& gesture);
  void applyEdits(const ui::EditSink& sink);
  void openFile(const std::filesystem::path& path);
  void saveTrace();
  void saveIfDue();
  void keys(const ui::Panel& panel);
  void keepViewValid();
  void panels(const ui::Panel& panel);
  void wholeWindow(const ui::Panel& panel);

  Index memoryBudget;
  std::filesystem::path tracePath;
  ui::ViewState view;
  ui::ColorMaps maps;
  History history;
  TracePtr trace;
  gl::Scene scene;
  std::vector<std::filesystem::path> dropped;
  std::string message;
  bool messageIsError = false;
  bool wantsFrame = false;
  bool saveWhenDone = false;
  double mouseMovedAt = 0.0;

  // what the panels remember between frames
  ui::TopBarMemory topBar;
  ui::TokenRowMemory tokenRow;
  ui::FlowMemory flow;
  ui::StageMemory stage;

  Worker worker;  // last: gone before what it could still touch
};

void App::State::takeResult() {
  auto update = worker.take();
  if (!update) return;
  if (update->trace) {
    trace = std::move(update->trace);
    return;
  }
  if (trace == nullptr) {
    say(update->error, true);
    return;
  }
  // what cannot be computed does not stay in the document either
  if (history.current() == update->document && history.canUndo()) {
    history.undo();
    worker.request(history.current());
  }
  say(update->error + " (taken back: the last good result stays)", true);
}

void App::State::attempt(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    say(error.what(), true);
  } catch (const std::bad_alloc&) {
    say("there is not enough memory for this; everything stays as it was", true);
  }
}

void App::State::apply(const Edit& edit, const std::string& gesture) {
  attempt([&] {
    say(history.apply(edit, gesture));
    worker.request(history.current());
  });
}

void App::State::applyEdits(const ui::EditSink& sink) {
  for (const auto& pushed : sink.edits) apply(pushed.edit, pushed.gesture);
  if (sink.undo && history.canUndo()) {
    say("undone: " + history.undoName());
    history.undo();
    worker.request(history.current());
  }
  if (sink.redo && history.canRedo()) {
    say("redone: " + history.redoName());
    history.redo();
    worker.request(history.current());
  }
}

/// All of a file or nothing: its edits are applied aside and taken over as one.
void App::State::openFile(const std::filesystem::path& path) {
  attempt([&] {
    DocumentPtr opened = history.current();
    std::string notes;
    for (const Edit& edit : editsToOpen(path, *opened)) {
      Applied applied = headscope::apply(*opened, edit, memoryBudget);
      opened = std::move(applied.document);
      if (!applied.note.empty()) notes += "; " + applied.note;
    }
    history.apply(Open{std::move(opened), "open " + path.filename().string()});
    worker.request(history.current());
    say("opened " + path.string() + notes);
  });
}

void App::State::saveTrace() {
  saveWhenDone = false;
  attempt([&] {
    formats::saveTrace(tracePath, *trace);
    say("saved every tensor to " + std::filesystem::absolute(tracePath).string());
  });
}

/// Saves once the newest document's trace is there, so that the window never waits for it.
void App::State::saveIfDue() {
  if (!saveWhenDone) return;
  if (worker.progress().busy) {
    say("the trace is saved as soon as it is computed");
    wantsFrame = true;
    return;
  }
  takeResult();
  saveTrace();
}

void App::State::keys(const ui::Panel& panel) {
  using ui::ctrlPressed;
  using ui::Key;
  using ui::keyPressed;
  const ImGuiIO& io = ImGui::GetIO();
  if (ctrlPressed(Key{'S'}, false)) saveWhenDone = true;
  if (ctrlPressed(Key{'E'}, false)) ui::editText(panel, tokenRow);
  if (ctrlPressed(Key::equal) || ctrlPressed(Key::keypadAdd)) ui::zoomInterface(view, 1);
  if (ctrlPressed(Key::minus) || ctrlPressed(Key::keypadSubtract)) ui::zoomInterface(view, -1);
  if (io.WantTextInput) return;
  if (ctrlPressed(Key{'Z'})) (io.KeyShift ? panel.edits.redo : panel.edits.undo) = true;
  if (ctrlPressed(Key{'Y'})) panel.edits.redo = true;
  if (io.KeyCtrl || io.KeyAlt || ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  const int all = static_cast<int>(kStepCount);
  const auto move = [&](Key key, int steps) {
    if (!keyPressed(key)) return;
    ui::stepBy(view, steps);
    view.playing = false;
  };
  move(Key::left, -1);
  move(Key::right, 1);
  move(Key::home, -all);
  move(Key::end, all);
  if (keyPressed(Key::space, false)) {
    view.playing = !view.playing;
    view.stepShownAt = panel.look.now;
    if (view.playing && view.step == StepId::output) view.step = StepId::project;
  }
  if (keyPressed(Key::escape, false)) view.selected.reset();
}

void App::State::keepViewValid() {
  const AttentionConfig& c = trace->config();
  view.head = std::clamp<Index>(view.head, 0, c.numHeads - 1);
  view.item = std::clamp<Index>(view.item, 0, c.batch - 1);
  const auto fits = [&](const CellRef& cell) { return exists(cell, c); };
  if (view.selected && !fits(*view.selected)) view.selected.reset();
  if (view.hovered && !fits(view.hovered->cell)) view.hovered.reset();
  if (!view.selected) return;
  // the chosen cell is one of the chosen head and item
  const TensorInfo& t = info(view.selected->tensor);
  if (t.perItem) view.selected->item = view.item;
  if (t.perHead) view.selected->head = t.kvHeads ? c.kvHead(view.head) : view.head;
}

void App::State::wholeWindow(const ui::Panel& panel) {
  const ui::Look& look = panel.look;
  const ui::WindowLayout layout = ui::layoutWindow(
      {ImGui::GetIO().DisplaySize, topBar.height, ui::tokenRowHeight(panel, tokenRow), look.scale});

  ui::beginBand("top bar", layout.topBar, look);
  const ui::TopBarState undo{history.canUndo(), history.canRedo(), history.undoName(),
                             history.redoName()};
  const ui::TopBarWishes wishes = ui::topBar(panel, topBar, undo);
  ui::endBand(layout.topBar, look);
  if (wishes.saveTrace) saveWhenDone = true;
  if (!wishes.openPreset.empty()) {
    attempt([&] {
      const WeightSource weights{history.current()->weightSource.init, 1, {}};
      panel.edits.push(Open{makePreset(presetByName(wishes.openPreset), weights, memoryBudget),
                            "preset " + wishes.openPreset});
      view.item = 0;
    });
  }

  ui::beginBand("tokens", layout.tokens, look);
  const std::string path = ui::tokenRow(panel, tokenRow);
  ui::endBand(layout.tokens, look);
  if (!path.empty()) dropped.emplace_back(path);

  ui::beginBody(layout, look);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const auto card = [&](const char* id, const ui::Box& box, auto&& fill) {
    if (box.size.x <= 0.0F || box.size.y <= 0.0F) return;
    const ImVec2 at(origin.x + box.at.x, origin.y + box.at.y);
    if (ui::beginCard(id, at, box.size, look)) fill();
    ui::endCard();
  };
  card("steps", layout.steps, [&] { ui::stepsRail(panel); });
  card("flow", layout.flow, [&] { ui::flowPanel(panel, flow, ImGui::GetContentRegionAvail()); });
  card("stage", layout.stage, [&] { ui::stagePanel(panel, stage); });
  card("inspector", layout.inspector, [&] { ui::inspectorPanel(panel, stage.magnitudes); });
  card("heads", layout.heads, [&] { ui::headsStrip(panel, stage.magnitudes); });
  ui::endBody();

  ui::statusBar(panel, {message, messageIsError, worker.progress()}, layout.status.at,
                layout.status.size);
}

void App::State::panels(const ui::Panel& panel) {
  if (view.focus == ui::Focus::window) {
    wholeWindow(panel);
    return;
  }
  // one panel alone, for a picture of it
  const float margin = panel.look.px(12);
  const ImVec2 size(ImGui::GetIO().DisplaySize.x - 2 * margin,
                    ImGui::GetIO().DisplaySize.y - 2 * margin);
  if (ui::beginCard("panel", {margin, margin}, size, panel.look)) {
    switch (view.focus) {
      case ui::Focus::flow:
        ui::flowPanel(panel, flow, ImGui::GetContentRegionAvail());
        break;
      case ui::Focus::stage:
        ui::stagePanel(panel, stage);
        break;
      case ui::Focus::heads:
        ui::heading(panel.look, "Heads",
                    "weights 0 to 1, one scale · rows: queries, columns: keys");
        ui::headGrid(panel, stage.magnitudes, TensorId::weights);
        break;
      case ui::Focus::window:
        break;
    }
  }
  ui::endCard();
}

App::App(AppOptions options) : state_(std::make_unique<State>(std::move(options))) {
  state_->worker.request(state_->history.current());
  state_->worker.wait(kPatience);
  state_->takeResult();
  if (state_->trace == nullptr && state_->messageIsError) throw UserError(state_->message);
}

App::~App() = default;

void App::frame(const ui::Fonts& fonts, double now) {
  State& s = *state_;
  s.wantsFrame = false;
  s.takeResult();
  s.saveIfDue();
  for (const auto& path : std::exchange(s.dropped, {})) s.openFile(path);

  const ui::Theme& theme = ui::theme(s.view.theme);
  const ImGuiIO& io = ImGui::GetIO();
  s.scene.clear();
  s.scene.displayWidth = io.DisplaySize.x;
  s.scene.displayHeight = io.DisplaySize.y;
  s.scene.pixelsPerPoint =
      io.DisplayFramebufferScale.x > 0.0F ? io.DisplayFramebufferScale.x : 1.0F;
  ui::colorScene(s.scene, theme);

  ui::beginRoot();
  if (io.MouseDelta.x != 0.0F || io.MouseDelta.y != 0.0F) s.mouseMovedAt = now;
  const ui::Look look{theme,        fonts, s.maps, s.scene, now, s.view.scale, now - s.mouseMovedAt,
                      &s.wantsFrame};
  if (s.trace) {
    s.keepViewValid();
    ui::EditSink edits;
    const ui::Panel panel{*s.history.current(), *s.trace, s.view, edits, look};
    s.keys(panel);
    ui::playSteps(panel);
    s.panels(panel);
    s.applyEdits(edits);
    if (s.saveWhenDone) s.wantsFrame = true;
    if (!ImGui::IsAnyItemActive()) s.history.endGesture();
  } else {
    const auto progress = s.worker.progress();
    ImGui::PushTextWrapPos(io.DisplaySize.x);
    ui::label(
        fonts.regular, s.messageIsError ? theme.bad : theme.text,
        s.message.empty() ? fmt::format("computing … {:.1f} s", progress.seconds) : s.message);
    ImGui::PopTextWrapPos();
    s.wantsFrame = progress.busy;
  }
  ui::endRoot();
}

void App::onWake(std::function<void()> wake) { state_->worker.setWake(std::move(wake)); }
bool App::wantsFrame() const { return state_->wantsFrame; }
float App::scale() const { return state_->view.scale; }
ImU32 App::background() const { return ui::theme(state_->view.theme).window; }
gl::Scene& App::scene() { return state_->scene; }

void App::dropFiles(const std::vector<std::filesystem::path>& paths) {
  state_->dropped.insert(state_->dropped.end(), paths.begin(), paths.end());
}

void App::finish() {
  state_->worker.wait();
  state_->takeResult();
}

const DocumentPtr& App::document() const { return state_->history.current(); }
const TracePtr& App::trace() const { return state_->trace; }
ui::ViewState& App::view() { return state_->view; }
const std::string& App::message() const { return state_->message; }

}  // namespace headscope
