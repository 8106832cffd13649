#include "app/ui/cell_keys.h"

#include "app/ui/cell_commands.h"
#include "app/ui/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/stage_items.h"

namespace headscope::ui {
namespace {

constexpr Index kStride = 8;
constexpr Index kFar = Index{1} << 32;  // past the end of any row

void moveByArrows(const Panel& panel) {
  const Index by = ImGui::GetIO().KeyShift ? kStride : 1;
  const auto move = [&](Key key, Index down, Index right) {
    if (keyPressed(key)) moveChosenCell(panel.view, panel.trace.config(), down, right);
  };
  move(Key::up, -by, 0);
  move(Key::down, by, 0);
  move(Key::left, 0, -by);
  move(Key::right, 0, by);
  move(Key::home, 0, -kFar);
  move(Key::end, 0, kFar);
}

/// Where the stage shows single cells, over the cell; else in the inspector.
void type(const Panel& panel, CellEditing& editing) {
  const bool tiles = panel.view.scope == StageScope::allHeads &&
                     perHeadResult(panel.view.step, panel.view).has_value();
  if (tiles) panel.view.inspectorTab = InspectorTab::cell;
  beginTyping(panel, editing, tiles ? TypingPlace::inspector : TypingPlace::stage,
              *panel.view.selected);
}

void unpin(const Panel& panel) {
  const CellRef target = cellAccess(panel.trace, *panel.view.selected).target;
  if (panel.document.pins.at(target)) {
    panel.edits.push(RemovePin{target});
  } else {
    panel.edits.say(toString(target) + " is not pinned");
  }
}

}  // namespace

bool cellKeys(const Panel& panel, CellEditing& editing) {
  ViewState& view = panel.view;
  const AttentionConfig& c = panel.trace.config();
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyAlt) return false;
  if (view.selected && io.KeyCtrl) {
    if (ctrlPressed(Key{'C'}, false)) copyCells(panel, editing.menu, *view.selected);
    if (ctrlPressed(Key{'V'}, false)) pasteCells(panel, *view.selected);
  }
  if (io.KeyCtrl || view.playing) return false;
  if (view.selected && keyPressed(Key::del, false)) unpin(panel);
  if (!focusedMatrix(view, c)) {
    if (!keyPressed(Key::down, false)) return false;
    focusNextMatrix(view, c, 1);
    ImGui::SetWindowFocus(nullptr);  // no window's fields take Tab
    return true;
  }
  if (!view.playTime) moveByArrows(panel);
  if (keyPressed(Key::tab)) focusNextMatrix(view, c, io.KeyShift ? -1 : 1);
  const bool enter = keyPressed(Key::enter, false) || keyPressed(Key::keypadEnter, false);
  if (enter && io.KeyShift) {
    editing.menu.asked = true;
  } else if (enter) {
    type(panel, editing);
  }
  return !view.playTime.has_value();
}

}  // namespace headscope::ui
