// The keyboard, outside of fields being typed into.
#include "app/app_state.h"
#include "app/ui/cell_keys.h"
#include "app/ui/compat.h"
#include "app/ui/steps_rail.h"
#include "app/ui/tools/kv_cache_panel.h"
#include "app/ui/trace_back.h"
#include "app/ui/view_menu.h"

namespace headscope {

void App::State::keys(const ui::Panel& panel) {
  using ui::ctrlPressed;
  using ui::Key;
  using ui::keyPressed;
  const ImGuiIO& io = ImGui::GetIO();
  sessionKeys();
  if (ctrlPressed(Key{'E'}, false)) ui::editText(panel, tokenRow);
  if (ctrlPressed(Key::equal) || ctrlPressed(Key::keypadAdd)) ui::zoomInterface(view, 1);
  if (ctrlPressed(Key::minus) || ctrlPressed(Key::keypadSubtract)) ui::zoomInterface(view, -1);
  if (io.WantTextInput) return;
  if (ctrlPressed(Key{'Z'})) (io.KeyShift ? panel.edits.redo : panel.edits.undo) = true;
  if (ctrlPressed(Key{'Y'})) panel.edits.redo = true;
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  sceneKeys();
  const bool command = io.KeyCtrl || io.KeyAlt;
  if (!command && view.tool == ui::Tool::mask && ui::maskPainterKeys(panel, tools.mask)) return;
  const bool cellHasArrows = ui::cellKeys(panel, editing);
  if (command) return;
  const int all = static_cast<int>(kStepCount);
  const auto move = [&](Key key, int steps) {
    if (!keyPressed(key)) return;
    ui::stepBy(view, steps);
    view.playing = false;
  };
  if (!cellHasArrows) {
    move(Key::left, -1);
    move(Key::right, 1);
    move(Key::home, -all);
    move(Key::end, all);
  }
  move(Key::pageUp, -1);
  move(Key::pageDown, 1);
  if (keyPressed(Key::space, false)) {
    view.playing = !view.playing;
    view.stepShownAt = panel.look.now;
    if (view.playing && view.step == StepId::output) view.step = StepId::project;
  }
  if (view.tool == ui::Tool::kvCache) {
    if (keyPressed(Key::comma)) ui::stepDecoding(panel, -1);
    if (keyPressed(Key::period)) ui::stepDecoding(panel, 1);
  }
  if (keyPressed(Key::escape, false)) view.selected.reset();
  if (keyPressed(Key::backspace)) ui::returnOne(view, trace->config());
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    const auto tool = ui::toolOfKey(letter);
    if (tool && keyPressed(Key{letter}, false)) view.tool = *tool;
  }
}

}  // namespace headscope
