// What the program does with documents and files: results, edits, opening, saving.
#include <fmt/format.h>

#include <utility>

#include "app/app_state.h"
#include "app/open_file.h"
#include "app/ui/compat.h"
#include "app/ui/theme.h"
#include "core/ledger.h"

namespace headscope {

App::State::State(AppOptions o)
    : memoryBudget(o.memoryBudget > 0 ? o.memoryBudget : defaultMemoryBudget()),
      tracePath(std::move(o.tracePath)),
      view(o.view),
      maps(ui::ColorMaps::load()),
      history(o.history ? *o.history : History(std::move(o.document), memoryBudget)),
      store({history.current(), std::move(o.sessionPath), std::move(o.scenes),
             std::move(o.stateFolder), history.mark()}),
      trace(std::move(o.trace)),
      keptState{std::move(o.compared.document), std::move(o.compared.name)},
      comparison(o.threads),
      worker(o.threads) {
  // tokens that come with the view hold
  if (view.heads.query >= 0 || view.heads.key >= 0) viewOpened();
  const formats::SavedScene* first = store.scene(o.scene);
  if (first != nullptr) history.apply(Open{first->document, fmt::format("scene {}", o.scene)});
}

/// Results of up to so many bytes flash where they changed: for larger ones the trace before would
/// be held while the hand moves on, and comparing them costs more than the edit.
constexpr Index kFlashed = 64'000'000;

void App::State::takeResult() {
  auto update = worker.take();
  if (!update) return;
  if (update->trace) {
    const bool flashes = view.animate && ledger(update->trace->config()).resultBytes <= kFlashed;
    flash.start(flashes ? trace : nullptr, update->trace);
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

/// In place of a frame that could not be built whole: no panel can be relied upon to say it.
void App::State::noMemory(const ui::Fonts& fonts) {
  constexpr const char* kSentence =
      "There is not enough memory to draw this: close other programs, or choose a smaller size. "
      "Nothing is lost.";
  const bool newest = trace != nullptr && trace->documentPtr() == history.current();
  requestAgain = !newest && !worker.progress().busy;
  nextChange = 1.0;  // there may be some by then
  const ui::Theme& theme = ui::theme(view.theme);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImDrawList* over = ImGui::GetForegroundDrawList();
  over->AddRectFilled({0, 0}, size, theme.window);
  const float margin = 12.0F * scale();
  over->AddText(fonts.regular, ui::fontSize(fonts.regular), {margin, margin}, theme.bad, kSentence,
                nullptr, size.x - 2 * margin);
}

void App::State::apply(const Edit& edit, const std::string& gesture) {
  attempt([&] {
    say(history.apply(edit, gesture));
    worker.request(history.current());
  });
}

void App::State::applyEdits(const ui::EditSink& sink) {
  if (!sink.said.empty()) say(sink.said, sink.saidIsError);
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
  if (sink.jumpTo) jumpTo(*sink.jumpTo);
  if (sink.compareWith) compareWith(*sink.compareWith);
}

/// All of a file or nothing: its edits are applied aside and taken over as one.
void App::State::openFile(const std::filesystem::path& path) {
  if (formats::isSession(path)) {
    openSession(path);
    return;
  }
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
  exportNow({ui::ExportKind::trace, {}, {}, {}, 0, 0, tracePath});
}

/// Saves once the newest document's trace is there, so that the window never waits for it.
void App::State::saveIfDue() {
  if (!saveWhenDone || exporting.busy()) return;
  if (worker.progress().busy) {
    say("the trace is saved as soon as it is computed");
    nextChange = ui::kProgressPace;
    return;
  }
  takeResult();
  saveTrace();
}

}  // namespace headscope
