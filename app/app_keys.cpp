// The keyboard, except in active text fields.
#include "app/app_state.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/head_switch.h"
#include "app/ui/panel.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/timeline/playback.h"
#include "core/document/trace.h"

namespace headscope {
namespace {

/// Returns the next of `count` indices, or with shift the previous one, cyclically.
Index cycled(Index now, Index count) {
  const Index by = ImGui::GetIO().KeyShift ? count - 1 : 1;
  return (now + by) % count;
}

/// Handles the single letters that choose heads, parts and tabs. No single key changes the layer.
/// Returns whether a key was handled.
bool viewKeys(const ui::PanelContext& panel) {
  if (ui::keyPressed(ui::Key{'H'})) {
    panel.selection.head = cycled(panel.selection.head, panel.trace.numHeads());
  } else if (ui::keyPressed(ui::Key{'N'})) {
    panel.selection.item = cycled(panel.selection.item, panel.trace.batch());
  } else if (ui::keyPressed(ui::Key{'Q'}, false)) {
    constexpr TensorId kParts[] = {TensorId::q, TensorId::k, TensorId::v};
    const Index now = panel.selection.part == TensorId::k   ? 1
                      : panel.selection.part == TensorId::v ? 2
                                                            : 0;
    panel.selection.part = kParts[cycled(now, 3)];
  } else if (ui::keyPressed(ui::Key{'G'}, false) && ImGui::GetIO().KeyShift) {
    ui::showGradients(panel.view, !panel.selection.gradients);
  } else if (ui::keyPressed(ui::Key{'G'}, false)) {
    panel.selection.scope = panel.selection.scope == ui::StepViewScope::allHeads
                                ? ui::StepViewScope::thisHead
                                : ui::StepViewScope::allHeads;
  } else if (ui::keyPressed(ui::Key{'I'}, false)) {
    panel.selection.inspectorTab =
        static_cast<ui::InspectorTab>(cycled(static_cast<Index>(panel.selection.inspectorTab), 3));
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
    if (io.KeyShift && ctrlPressed(Key{'T'}, false)) exports.askForTrace(view.selection);
  }
  if (ctrlPressed(Key{'K'}, false) && !popup) search.open();
  if (ctrlPressed(Key{'E'}, false) && !io.KeyShift) tokenRow.edit(panel);
  if (ctrlPressed(Key{'E'}, false) && io.KeyShift && !popup) exports.dialog().ask();
  if (ctrlPressed(Key::equal) || ctrlPressed(Key::keypadAdd))
    ui::zoomInterface(view.preferences, 1);
  if (ctrlPressed(Key::minus) || ctrlPressed(Key::keypadSubtract))
    ui::zoomInterface(view.preferences, -1);
  if (keyPressed(Key::f1, false) && !popup) help.open();
  if (keyPressed(Key::f11, false) && !popup) {
    const bool ofScene =
        lesson.open() ? !view.selection.presented.empty() : !controls.on && sessions.showsScene();
    ofScene && !presenter.on() ? presenter.begin(view.selection)
                               : presenter.toggle(view.selection, controls.on ? controls.card : "");
  }
  if (keyPressed(Key::f10, false) && !popup) lecture.toggleSpeaker();
  if (io.WantTextInput) return;
  if (ui::charTyped('?') && !popup) help.open();
  if (ctrlPressed(Key{'V'}, false) && !popup && pastePicture()) return;
  const bool undo = ctrlPressed(Key{'Z'});
  if (undo && !io.KeyShift) panel.commands.add(ui::Undo{});
  if ((undo && io.KeyShift) || ctrlPressed(Key{'Y'})) panel.commands.add(ui::Redo{});
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  const bool command = io.KeyCtrl || io.KeyAlt;
  const ui::Page& page = pages.open(view.selection.page);
  // tab moves from one matrix to the next
  const bool byTab = !page.showsDocument(view) && !presenter.on();
  if (!command && !presenter.on() && ui::lessonKeys(panel, lesson)) return;
  // page up and down go through a lesson, wherever the keyboard is
  if (!command && !presenter.on() && lesson.open() && lecture.keys(panel, false)) return;
  if (!command && ui::controlKeys(controls, page.text().controls, byTab)) return;
  if (!command && presenter.keys(view.selection)) return;
  if (!command && lecture.keys(panel, presenter.on())) return;
  const bool toolShown =
      presenter.on() ? presenter.card() == ui::kToolsCard : view.selection.page == ui::kFlowPage;
  ui::Card& tool = tools.open(view.selection.tool);
  if (!command &&
      (tool.keys(panel, toolShown) || (layerIsShown() && viewKeys(panel)) || pages.keys(panel)))
    return;
  if (layerIsShown() && ((toolShown && tool.editKeys(panel)) || ui::headSwitchKeys(panel))) return;
  sessions.sceneKeys(presenter.on());
  sessions.recoveryKeys();
  const bool cellHasArrows = layerIsShown() && ui::cellKeys(panel, editing);
  if (command) return;
  const bool escape = keyPressed(Key::escape, false);
  if (escape && ui::returnToStage(panel)) return;
  if (!layerIsShown()) return;  // what follows chooses what Flow shows of the layer
  if (escape && view.selection.playTime) {
    ui::leaveTimeline(view);
  } else if (escape) {
    view.selection.cell.reset();
  }
  if (!cellHasArrows) {
    if (keyPressed(Key::left)) ui::goBy(view, playback, -1, io.KeyShift);
    if (keyPressed(Key::right)) ui::goBy(view, playback, 1, io.KeyShift);
    if (keyPressed(Key::home)) ui::goToEnd(view, playback, false);
    if (keyPressed(Key::end)) ui::goToEnd(view, playback, true);
  }
  if (keyPressed(Key::pageUp)) ui::goBy(view, playback, -1, true);
  if (keyPressed(Key::pageDown)) ui::goBy(view, playback, 1, true);
  if (keyPressed(Key::space, false)) ui::togglePlay(view, playback);
  if (keyPressed(Key::backspace)) ui::returnOne(view, panel.trace.config());
  for (const auto& tool : tools.all()) {
    const char key = tool->text().key;
    if (key != 0 && keyPressed(Key{key}, false)) view.selection.tool = tool->text().id;
  }
}

}  // namespace headscope
