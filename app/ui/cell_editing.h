// Cell editing: what the hand is doing to a cell between frames (typing, dragging, scrolling), and
// what each of them pushes. The inspector's field and the cell on the stage share it.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/cell_access.h"
#include "app/ui/cell_target.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Where a number is being typed.
enum class TypingPlace { none, stage, inspector };

/// The commands on a cell's row, column, head or matrix.
struct CellMenuMemory {
  bool asked = false;  // by the keyboard: opens below the chosen cell
  ImVec2 place{};
  CellTarget target = CellTarget::cell;
  std::string factor = "0.5";
  std::string seed = "2";
  std::string head = "1";      // to copy from, as people number them
  int chosen = 0;              // the command the arrow keys or the mouse are at
  bool takesKeyboard = false;  // its number is typed into next
};

struct CellEditing {
  TypingPlace typing = TypingPlace::none;
  CellRef typedAt;            // the cell it is typed over
  ImVec2 fieldA{}, fieldB{};  // where, on the stage
  CellAccess typed;           // whose value
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
void beginTyping(const Panel& panel, CellEditing& editing, TypingPlace place, const CellRef& cell);
/// The field, at the cursor. Enter or leaving it sets the value, Escape does not; what is no number
/// is refused in words, and the value stays.
void typingField(const Panel& panel, CellEditing& editing, float width);

/// For the button drawn last, which stands for a cell: moves its value by what the mouse moved
/// along `direction` (points to the right and down). All of a drag is one undo entry.
void dragCell(const Panel& panel, CellEditing& editing, const CellAccess& access, float magnitude,
              ImVec2 direction);

/// The mouse is on a cell: the wheel changes it. Notches in a row are one undo entry.
void scrollCell(const Panel& panel, CellEditing& editing, const CellAccess& access,
                float magnitude);

/// Once a frame, before the panels.
void beginCellEditing(const Panel& panel, CellEditing& editing);

}  // namespace headscope::ui
