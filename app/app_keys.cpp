// The keyboard, except in active text fields.
#include "app/app_state.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/head_switch.h"
#include "app/ui/timeline/playback.h"

namespace headscope {
namespace {

/// Returns the next of `count` indices, or with shift the previous one, cyclically.
Index cycled(Index now, Index count) {
  const Index by = ImGui::GetIO().KeyShift ? count - 1 : 1;
  return (now + by) % count;
}

/// Handles the single letters that choose heads, parts and tabs. Returns whether a key was handled.
bool viewKeys(const ui::PanelContext& panel) {
  if (ui::headSwitchKeys(panel)) return true;
  ui::ViewState& view = panel.view;
  const AttentionConfig& c = panel.trace.config();
  if (ui::keyPressed(ui::Key{'H'})) {
    view.head = cycled(view.head, c.numHeads);
  } else if (ui::keyPressed(ui::Key{'N'})) {
    view.item = cycled(view.item, c.batch);
  } else if (ui::keyPressed(ui::Key{'Q'}, false)) {
    constexpr TensorId kParts[] = {TensorId::q, TensorId::k, TensorId::v};
    const Index now = view.part == TensorId::k ? 1 : view.part == TensorId::v ? 2 : 0;
    view.part = kParts[cycled(now, 3)];
  } else if (ui::keyPressed(ui::Key{'G'}, false) && ImGui::GetIO().KeyShift) {
    ui::showGradients(view, !view.gradients);
  } else if (ui::keyPressed(ui::Key{'G'}, false)) {
    view.scope = view.scope == ui::StageScope::allHeads ? ui::StageScope::thisHead
                                                        : ui::StageScope::allHeads;
  } else if (ui::keyPressed(ui::Key{'I'}, false)) {
    view.inspectorTab =
        static_cast<ui::InspectorTab>(cycled(static_cast<Index>(view.inspectorTab), 3));
  } else {
    return false;
  }
  return true;
}

}  // namespace

void App::State::keys(const ui::PanelContext& panel) {
  using ui::ctrlPressed;
  using ui::Key;
  using ui::keyPressed;
  const ImGuiIO& io = ImGui::GetIO();
  const bool popup = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  if (!popup) {
    sessions.keys();
    if (io.KeyShift && ctrlPressed(Key{'T'}, false)) exports.askForTrace(view);
  }
  if (ctrlPressed(Key{'E'}, false) && !io.KeyShift) tokenRow.edit(panel);
  if (ctrlPressed(Key{'E'}, false) && io.KeyShift && !popup) exports.dialog().ask();
  if (ctrlPressed(Key::equal) || ctrlPressed(Key::keypadAdd)) ui::zoomInterface(view, 1);
  if (ctrlPressed(Key::minus) || ctrlPressed(Key::keypadSubtract)) ui::zoomInterface(view, -1);
  if (keyPressed(Key::f1, false) && !popup) help.open();
  if (keyPressed(Key::f11, false) && !popup) {
    const bool ofScene = lesson.open() && !presenter.on() && !view.presented.empty();
    ofScene ? presenter.begin(view) : presenter.toggle(view, controls.on ? controls.card : "");
  }
  if (keyPressed(Key::f10, false) && !popup) lecture.toggleSpeaker();
  if (io.WantTextInput) return;
  if (ui::charTyped('?') && !popup) help.open();
  if (ctrlPressed(Key{'Z'})) (io.KeyShift ? panel.edits.redo : panel.edits.undo) = true;
  if (ctrlPressed(Key{'Y'})) panel.edits.redo = true;
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  const bool command = io.KeyCtrl || io.KeyAlt;
  const ui::Page& page = pages.open(view.page);
  // tab moves from one matrix to the next
  const bool byTab = !page.showsDocument() && !presenter.on();
  if (!command && ui::controlKeys(controls, page.text().controls, byTab)) return;
  if (!command && presenter.keys(view)) return;
  if (!command && lecture.keys(panel, presenter.on())) return;
  const bool toolShown =
      presenter.on() ? presenter.card() == ui::kToolsCard : view.page == ui::kFlowPage;
  if (!command &&
      (tools.open(view.tool).keys(panel, toolShown) || viewKeys(panel) || pages.keys(panel)))
    return;
  sessions.sceneKeys();
  sessions.recoveryKeys();
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
  if (keyPressed(Key::backspace)) ui::returnOne(view, panel.trace.config());
  for (const auto& tool : tools.all()) {
    const char key = tool->text().key;
    if (key != 0 && keyPressed(Key{key}, false)) view.tool = tool->text().id;
  }
}

}  // namespace headscope
