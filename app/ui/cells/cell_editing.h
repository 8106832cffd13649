// Cell editing: what the hand is doing to a cell between frames (typing, dragging, scrolling), and
// what each of them pushes, and what the keyboard does with the chosen cell. The inspector's field
// and the cell on the stage share it.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/cells/cell_access.h"
#include "app/ui/cells/cell_commands.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Where a number is being typed.
enum class TypingPlace { none, stage, inspector };

struct CellEditing {
  TypingPlace typing = TypingPlace::none;
  CellRef typedAt;   // the cell it is typed over
  Rect field{};      // where, on the stage
  CellAccess typed;  // whose value
  std::string text;
  bool takesKeyboard = false;  // the field asks for it in the next frame
  int framesUnseen = 0;        // since the field was drawn
  CellRef refused;             // the cell `problem` is about
  std::string problem;         // why what was typed cannot be used

  bool dragging = false;
  CellAccess dragged;
  double value = 0.0;  // where the drag is, before rounding
  float magnitude = 1.0F;

  CellRef scrolled;
  double scrolledAt = -1e9;  // when
  int scrolls = 0;           // … one undo entry each
  bool takesWheel = false;   // the mouse is on a cell: nothing else scrolls

  // what a pinned cell would be, kept while nothing of it changes
  CellRef unpinnedOf;
  std::uint64_t unpinnedPass = 0;
  double unpinned = 0.0;

  CellMenuMemory menu;
};

/// Opens a field with the cell's value in it.
void beginTyping(const PanelContext& panel, CellEditing& editing, TypingPlace place,
                 const CellRef& cell);
/// The same for the chosen cell: where the stage shows single cells, over it; else in the
/// inspector.
void typeOverCell(const PanelContext& panel, CellEditing& editing);
/// The field, at the cursor. Enter or leaving it sets the value, Escape does not; what is no number
/// is refused in words, and the value stays.
void typingField(const PanelContext& panel, CellEditing& editing, float width);

/// For the button drawn last, which stands for a cell: moves its value by what the mouse moved
/// along `direction` (points to the right and down). All of a drag is one undo entry.
void dragCell(const PanelContext& panel, CellEditing& editing, const CellAccess& access,
              float magnitude, ImVec2 direction);

/// The mouse is on a cell: the wheel changes it. Notches in a row are one undo entry.
void scrollCell(const PanelContext& panel, CellEditing& editing, const CellAccess& access,
                float magnitude);

/// Once a frame, before the panels.
void beginCellEditing(const PanelContext& panel, CellEditing& editing);

/// Outside of fields and popups. Arrows move the chosen cell (Shift: by 8; Home, End: along its
/// row), Tab goes to the next matrix, ↓ enters the first, Enter types, Shift+Enter opens the
/// commands, Delete unpins, ctrl+C and ctrl+V copy and paste. True where the arrows, Home and End
/// were its; on the timeline they are not.
bool cellKeys(const PanelContext& panel, CellEditing& editing);

}  // namespace headscope::ui
