// Cell editing: the state of typing, dragging and scrolling on a cell between frames, the edits
// that each pushes, and the keys of the chosen cell. The inspector's field and the cell on the
// step view share it.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/cells/cell_access.h"
#include "app/ui/cells/cell_commands.h"
#include "app/ui/frame_context.h"

namespace headscope::ui {

struct PanelContext;

/// Where a number is being typed.
enum class TypingPlace { none, stepView, inspector };

struct CellEditing {
  TypingPlace typing = TypingPlace::none;
  CellRef typedAt;   // the cell that is typed over
  Rect field{};      // its rectangle on the step view
  CellAccess typed;  // how the typed value is applied
  std::string text;
  bool takesKeyboard = false;  // the field takes the keyboard in the next frame
  int framesUnseen = 0;        // frames since the field was last drawn
  CellRef refused;             // the cell that `problem` concerns
  std::string problem;         // why the typed text cannot be used

  bool dragging = false;
  CellAccess dragged;
  double value = 0.0;  // the dragged value before rounding
  float magnitude = 1.0F;

  CellRef scrolled;
  double scrolledAt = -1e9;  // time of the last notch, in seconds
  int scrolls = 0;           // runs of notches: one undo entry each
  bool takesWheel = false;   // the mouse is on a cell, so that nothing else scrolls

  // the value that a pinned cell would have, cached while cell and pass stay the same
  CellRef unpinnedOf;
  std::uint64_t unpinnedPass = 0;
  double unpinned = 0.0;

  CellMenuMemory menu;
};

/// Opens a field that holds the cell's value. For a read-only cell, the status bar says why not.
void beginTyping(const PanelContext& panel, CellEditing& editing, TypingPlace place,
                 const CellRef& cell);
/// Opens a field for the chosen cell: over it where the step view shows single cells, else in the
/// inspector.
void typeOverCell(const PanelContext& panel, CellEditing& editing);
/// Draws the field at the cursor. Enter or leaving the field sets the value; Escape does not. Text
/// that is not a number is refused with a reason, and the value stays.
void typingField(const PanelContext& panel, CellEditing& editing, float width);

/// Drags the value of the cell whose button was drawn last, by the mouse's movement along
/// `direction` (points to the right and down). A whole drag is one undo entry.
void dragCell(const PanelContext& panel, CellEditing& editing, const CellAccess& access,
              float magnitude, ImVec2 direction);

/// Changes the cell under the mouse by the wheel. Successive notches are one undo entry.
void scrollCell(const PanelContext& panel, CellEditing& editing, const CellAccess& access,
                float magnitude);

/// Called once a frame, before the panels.
void beginCellEditing(const PanelContext& panel, CellEditing& editing);

/// Handles the keys of the chosen cell outside of fields and popups. Arrows move the chosen cell
/// (Shift: by 8; Home, End: along its row), Tab goes to the next matrix, ↓ enters the first, Enter
/// types, Shift+Enter opens the commands, Delete unpins, ctrl+C and ctrl+V copy and paste. Returns
/// true if it owns the arrows, Home and End; on the timeline it does not.
bool cellKeys(const PanelContext& panel, CellEditing& editing);

}  // namespace headscope::ui
