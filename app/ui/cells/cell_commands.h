// Cell commands: the block of cells that a command on a chosen cell is about (the cell, its row,
// its column, its head's part, its matrix), as shown on the stage; what can be done with it, what
// that is called, and the edit it pushes.
#pragma once

#include <string>
#include <vector>

#include "app/ui/cells/cell_access.h"
#include "app/ui/parts/matrix.h"
#include "core/editing/region.h"

namespace headscope::ui {

// What a command is about. Pure: no drawing.

enum class CellTarget { cell, row, column, head, matrix };

/// Those a cell has: no head's part where a tensor has none, no row of a single one.
std::vector<CellTarget> targetsOf(const CellRef& cell, const AttentionConfig& config);

/// The target, or the cell alone where it has none such.
CellTarget usable(CellTarget target, const CellRef& cell, const AttentionConfig& config);

/// Its name on screen: "row", "head 3".
std::string nameOf(CellTarget target, const CellRef& cell, const AttentionConfig& config);

/// A block's name on screen, where a row of the tensor is a column if it is shown transposed:
/// "W_Q column 3".
std::string nameAsShown(const Region& region, bool transposed, const AttentionConfig& config);

/// The block, in the tensor's own rows and columns. A row or column is one as `shown`: of a W drawn
/// transposed, and of the head's part of it where only that is drawn, what one sees is meant.
Region regionOf(CellTarget target, const CellRef& cell, const MatrixRef& shown,
                const AttentionConfig& config);

/// The head that has a cell of a weight matrix or bias; −1 where heads have no part of their own.
Index headWithCell(const CellRef& cell, const AttentionConfig& config);

/// The cells of a block as shown, one row a line, separated by tabs.
std::string cellsAsText(const Trace& trace, const CellRef& cell, const Region& region,
                        bool transposed);

/// The block that pasted numbers (rows and columns as shown) fill from a cell on, right and down.
/// Throws UserError with both shapes where they do not fit what is shown.
Region pastedRegion(const CellRef& cell, const MatrixRef& shown, Index rows, Index cols);

/// Pasted numbers for a block, the tensor's way round.
Tensor turned(const Tensor& pasted, bool transposed);

// What is done with it.

/// The commands on a cell, between frames.
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

enum class CellCommand {
  zero,
  identity,
  scale,
  redraw,
  copyHead,
  tieKeys,
  unpin,
  unpinMatrix,
  copy,
  paste
};

/// The block that the menu's target is.
Region targetRegion(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell);

/// What it is called, as it is shown.
std::string targetName(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell);

/// Those that apply to a target of the chosen cell.
std::vector<CellCommand> commandsFor(const PanelContext& panel, const CellRef& cell,
                                     CellTarget target);

/// "Scale by", "Copy numbers".
const char* titleOf(CellCommand command);
/// What it takes: a number typed beside it; null without one.
std::string* numberOf(CellCommand command, CellMenuMemory& menu);

/// Does it to the target chosen in the menu. What cannot be done is said in a sentence.
void doCommand(const PanelContext& panel, CellMenuMemory& menu, const CellRef& cell,
               CellCommand command);

/// ctrl+C: the menu's target as tab-separated numbers. ctrl+V: numbers from the chosen cell on.
void copyCells(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell);
void pasteCells(const PanelContext& panel, const CellRef& cell);

}  // namespace headscope::ui
