#include "app/ui/cells/cell_editing.h"

#include <cmath>
#include <string>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/frame_state.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/step_view/step_view_items.h"
#include "app/ui/text_field.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr double kScrollPause = 0.8;  // seconds: a longer pause begins another undo entry

void setValue(const PanelContext& panel, const CellAccess& access, double value,
              const std::string& gesture) {
  const auto number = static_cast<float>(value);
  if (number == heldValue(panel.document, panel.trace, access)) return;
  panel.commands.push(setCell(access, number), gesture);
}

/// Returns the keyboard to the step view: no window has the focus, so Tab and the arrows move the
/// cell.
void endTyping(CellEditing& editing) {
  editing.typing = TypingPlace::none;
  ImGui::SetWindowFocus(nullptr);
}

/// Sets the cell to the typed number. Returns false and stores the problem if the text is not one.
bool takeTyped(const PanelContext& panel, CellEditing& editing) {
  const TypedNumber typed = typedNumber(editing.text, editing.typed.target);
  editing.problem = typed.problem;
  editing.refused = editing.typed.target;
  if (!typed.value) {
    panel.commands.say(typed.problem + tr("; the old value stays"), true);
    return false;
  }
  setValue(panel, editing.typed, *typed.value, {});
  return true;
}

constexpr Index kLongMove = 8;
constexpr Index kPastEnd = Index{1} << 32;  // past the end of any row

void moveCellByArrows(const PanelContext& panel) {
  const Index by = ImGui::GetIO().KeyShift ? kLongMove : 1;
  const auto move = [&](Key key, Index down, Index right) {
    if (keyPressed(key)) moveChosenCell(panel.view, panel.trace.config(), down, right);
  };
  move(Key::up, -by, 0);
  move(Key::down, by, 0);
  move(Key::left, 0, -by);
  move(Key::right, 0, by);
  move(Key::home, 0, -kPastEnd);
  move(Key::end, 0, kPastEnd);
}

void unpinCell(const PanelContext& panel) {
  const CellRef target = cellAccess(panel.trace, *panel.selection.cell).target;
  if (panel.document.pins.at(target)) {
    panel.commands.push(RemovePin{target});
  } else {
    panel.commands.say(toString(target) + tr(" is not pinned"));
  }
}

}  // namespace

void beginTyping(const PanelContext& panel, CellEditing& editing, TypingPlace place,
                 const CellRef& cell) {
  const CellAccess access = cellAccess(panel.trace, cell);
  if (!access.editable()) {
    panel.commands.say(toString(cell) + tr(" is read only: ") + access.why, true);
    return;
  }
  editing.typing = place;
  editing.typedAt = cell;
  editing.typed = access;
  editing.text = fieldText(heldValue(panel.document, panel.trace, access));
  editing.problem.clear();
  editing.takesKeyboard = true;
  editing.framesUnseen = 0;
}

void typeOverCell(const PanelContext& panel, CellEditing& editing) {
  const bool tiles = panel.selection.scope == StepViewScope::allHeads &&
                     perHeadResult(panel.selection.step, panel.selection).has_value();
  if (tiles) panel.selection.inspectorTab = InspectorTab::cell;
  beginTyping(panel, editing, tiles ? TypingPlace::inspector : TypingPlace::stepView,
              *panel.selection.cell);
}

void typingField(const PanelContext& panel, CellEditing& editing, float width) {
  const FrameContext& look = panel.look;
  editing.framesUnseen = 0;
  if (editing.takesKeyboard) focusNextItem();
  editing.takesKeyboard = false;
  pushFieldStyle(look, !editing.problem.empty());
  if (editing.problem.empty()) ImGui::PushStyleColor(ImGuiCol_Border, look.theme.accent);
  pushFont(look.fonts.mono);
  ImGui::SetNextItemWidth(width);
  const bool entered = textField(
      look, {"##value", ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll},
      editing.text);
  const bool left = ImGui::IsItemDeactivated();
  ImGui::PopFont();
  if (editing.problem.empty()) ImGui::PopStyleColor();
  popFieldStyle();
  if (entered) {
    if (takeTyped(panel, editing)) {
      endTyping(editing);
    } else {
      editing.takesKeyboard = true;
    }
  } else if (left) {
    const std::string held = fieldText(heldValue(panel.document, panel.trace, editing.typed));
    if (keyDown(Key::escape)) {
      editing.problem.clear();
    } else if (editing.text != held) {
      takeTyped(panel, editing);
    }
    endTyping(editing);
  }
}

void dragCell(const PanelContext& panel, CellEditing& editing, const CellAccess& access,
              float magnitude, ImVec2 direction) {
  constexpr float kThreshold = 4.0F;
  if (!ImGui::IsItemActive()) {
    if (ImGui::IsItemDeactivated()) editing.dragging = false;
    return;
  }
  const ImGuiIO& io = ImGui::GetIO();
  ImVec2 by = io.MouseDelta;
  if (!editing.dragging) {
    if (!ImGui::IsMouseDragging(0, kThreshold)) return;
    by = ImGui::GetMouseDragDelta(0, 0.0F);
    editing.dragging = true;
    editing.dragged = access;
    editing.value = static_cast<double>(heldValue(panel.document, panel.trace, access));
    editing.magnitude = magnitude;  // kept from the start, so that the value does not run away
  }
  const double points =
      static_cast<double>(by.x * direction.x + by.y * direction.y) / panel.look.scale;
  if (points == 0.0) return;
  const double step = dragStep(editing.magnitude, io.KeyShift, io.KeyCtrl);
  editing.value += points * step;
  if (!std::isfinite(static_cast<float>(editing.value))) return;
  setValue(panel, editing.dragged, moved(editing.value, 0.0, step),
           "drag " + toString(editing.dragged.target));
}

void scrollCell(const PanelContext& panel, CellEditing& editing, const CellAccess& access,
                float magnitude) {
  editing.takesWheel = true;
  const float notches = ImGui::GetIO().MouseWheel;
  if (notches == 0.0F) return;
  const double now = panel.look.now;
  const bool scrollContinues =
      editing.scrolled == access.target && now - editing.scrolledAt < kScrollPause;
  if (!scrollContinues) {
    ++editing.scrolls;
    editing.magnitude = magnitude;
  }
  editing.scrolled = access.target;
  editing.scrolledAt = now;
  const double step = wheelStep(editing.magnitude);
  const auto held = static_cast<double>(heldValue(panel.document, panel.trace, access));
  setValue(panel, access, moved(held, static_cast<double>(notches) * step, step),
           "scroll " + std::to_string(editing.scrolls));
  panel.commands.add(KeepGesture{});
}

void beginCellEditing(const PanelContext& panel, CellEditing& editing) {
  editing.takesWheel = false;
  if (panel.look.now - editing.scrolledAt < kScrollPause) panel.commands.add(KeepGesture{});
  // the field of a hidden card closes, so that it does not take the keyboard when shown again
  const bool hidden = editing.typing != TypingPlace::none && ++editing.framesUnseen > 2;
  if (hidden || !exists(editing.typed.target, panel.document.config)) {
    editing.typing = TypingPlace::none;
    editing.problem.clear();
  }
}

bool cellKeys(const PanelContext& panel, CellEditing& editing) {
  const AttentionConfig& c = panel.trace.config();
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyAlt) return false;
  if (panel.selection.cell && io.KeyCtrl) {
    if (ctrlPressed(Key{'C'}, false)) copyCells(panel, editing.menu, *panel.selection.cell);
    if (ctrlPressed(Key{'V'}, false)) pasteCells(panel, *panel.selection.cell);
  }
  if (io.KeyCtrl || panel.frame.playing) return false;
  if (panel.selection.cell && keyPressed(Key::del, false)) unpinCell(panel);
  if (!focusedMatrix(panel.view, c)) {
    if (!keyPressed(Key::down, false)) return false;
    focusNextMatrix(panel.view, c, 1);
    ImGui::SetWindowFocus(nullptr);  // so that no window's fields take Tab
    return true;
  }
  if (!panel.selection.playTime) moveCellByArrows(panel);
  if (keyPressed(Key::tab)) focusNextMatrix(panel.view, c, io.KeyShift ? -1 : 1);
  const bool enter = keyPressed(Key::enter, false) || keyPressed(Key::keypadEnter, false);
  if (enter && io.KeyShift) {
    editing.menu.asked = true;
  } else if (enter) {
    typeOverCell(panel, editing);
  }
  return !panel.selection.playTime.has_value();
}

}  // namespace headscope::ui
