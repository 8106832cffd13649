// The keyboard, outside of fields being typed into.
#include "app/app_state.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/timeline/playback.h"
#include "app/ui/view_controls.h"

namespace headscope {

void App::State::keys(const ui::Panel& panel) {
  using ui::ctrlPressed;
  using ui::Key;
  using ui::keyPressed;
  const ImGuiIO& io = ImGui::GetIO();
  const bool popup = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  sessionKeys();
  if (ctrlPressed(Key{'E'}, false) && !io.KeyShift) ui::editText(panel, tokenRow);
  if (ctrlPressed(Key{'E'}, false) && io.KeyShift && !popup) {
    ui::askToExport(exportDialog, exportDialog.choice.kind);
  }
  if (ctrlPressed(Key::equal) || ctrlPressed(Key::keypadAdd)) ui::zoomInterface(view, 1);
  if (ctrlPressed(Key::minus) || ctrlPressed(Key::keypadSubtract)) ui::zoomInterface(view, -1);
  if (keyPressed(Key::f1, false) && !popup) ui::openHelp(help);
  if (keyPressed(Key::f11, false) && !popup) {
    presenter.toggle(view, controls.on ? controls.card : "");
  }
  if (io.WantTextInput) return;
  if (ui::charTyped('?') && !popup) ui::openHelp(help);
  if (ctrlPressed(Key{'Z'})) (io.KeyShift ? panel.edits.redo : panel.edits.undo) = true;
  if (ctrlPressed(Key{'Y'})) panel.edits.redo = true;
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  const bool command = io.KeyCtrl || io.KeyAlt;
  if (!command && ui::controlKeys(controls, pages.open(view.page).text().controls)) return;
  if (!command && presenter.keys(view)) return;
  if (!command && restoreKey()) return;
  const bool toolShown = !presenter.on() || presenter.card() == ui::kToolsCard;
  // while the question is open what becomes of unsaved changes, these two letters answer it
  const bool answers =
      !store.abandoned().empty() && (keyPressed(Key{'R'}, false) || keyPressed(Key{'X'}, false));
  const bool own = !command && !answers;
  if (own &&
      (tools.open(view.tool).keys(panel, toolShown) || ui::viewKeys(panel) || pages.keys(panel)))
    return;
  sceneKeys();
  const bool cellHasArrows = ui::cellKeys(panel, editing);
  if (command) return;
  if (!cellHasArrows) {
    if (keyPressed(Key::left)) ui::goBy(view, playback, -1, io.KeyShift);
    if (keyPressed(Key::right)) ui::goBy(view, playback, 1, io.KeyShift);
    if (keyPressed(Key::home)) ui::goToEnd(view, playback, false);
    if (keyPressed(Key::end)) ui::goToEnd(view, playback, true);
  }
  if (keyPressed(Key::pageUp)) ui::goBy(view, playback, -1, true);
  if (keyPressed(Key::pageDown)) ui::goBy(view, playback, 1, true);
  if (keyPressed(Key::space, false)) ui::togglePlay(view, playback);
  if (keyPressed(Key::escape, false)) {
    if (view.playTime) {
      ui::leaveTimeline(view);
    } else {
      view.selected.reset();
    }
  }
  if (keyPressed(Key::backspace)) ui::returnOne(view, trace->config());
  for (const auto& tool : tools.all()) {
    const char key = tool->text().key;
    if (key != 0 && keyPressed(Key{key}, false)) view.tool = tool->text().id;
  }
}

}  // namespace headscope
