// Cell commands: the commands on a chosen cell, their titles, and the edits that they push. A
// command acts on a block of cells as the step view shows it: the cell, its row, its column, its
// head's part or its matrix.
#pragma once

#include <string>
#include <vector>

#include "app/ui/cells/cell_access.h"
#include "app/ui/parts/matrix.h"
#include "core/editing/region.h"

namespace headscope::ui {

struct PanelContext;

// The targets of a command. Pure: no drawing.

enum class CellTarget { cell, row, column, head, matrix };

/// The targets of a cell. A tensor without per-head parts has no head target; a single row has no
/// row target.
std::vector<CellTarget> targetsOf(const CellRef& cell, const AttentionConfig& config);

/// Returns the target if the cell has it, else CellTarget::cell.
CellTarget usable(CellTarget target, const CellRef& cell, const AttentionConfig& config);

/// The name of the target on screen: "row", "head 3".
std::string nameOf(CellTarget target, const CellRef& cell, const AttentionConfig& config);

/// The name of a block on screen. A row of a tensor that is shown transposed is called a column:
/// "W_Q column 3".
std::string nameAsShown(const Region& region, bool transposed, const AttentionConfig& config);

/// Returns the block of a target, in the tensor's own rows and columns. Row and column are those of
/// `shown`, which may be a transposed W or only the head's part of it.
Region regionOf(CellTarget target, const CellRef& cell, const MatrixRef& shown,
                const AttentionConfig& config);

/// The head that owns a cell of a weight matrix or bias; −1 where the tensor has no per-head parts.
Index headWithCell(const CellRef& cell, const AttentionConfig& config);

/// The values of a block as shown: one line per row, separated by tabs. Throws UserError where
/// there are too many.
std::string cellsAsText(const Trace& trace, const CellRef& cell, const Region& region,
                        bool transposed);

/// Returns the block that pasted numbers fill, to the right of and below a cell; `rows` and `cols`
/// are as shown. Throws UserError with both shapes where they do not fit the shown matrix.
Region pastedRegion(const CellRef& cell, const MatrixRef& shown, Index rows, Index cols);

/// Returns pasted numbers in the orientation of the tensor.
Tensor turned(const Tensor& pasted, bool transposed);

// The commands.

/// The state of the cell menu between frames.
struct CellMenuMemory {
  bool asked = false;  // requested by key: opens below the chosen cell
  ImVec2 place{};
  CellTarget target = CellTarget::cell;
  std::string factor = "0.5";
  std::string seed = "2";
  std::string head = "1";      // to copy from, counted from 1
  int chosen = 0;              // the command that the arrow keys or the mouse have selected
  bool takesKeyboard = false;  // its number field takes the keyboard next
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

/// Returns the block of the menu's target.
Region targetRegion(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell);

/// The name of the menu's target as shown.
std::string targetName(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell);

/// The commands that apply to a target of the chosen cell.
std::vector<CellCommand> commandsFor(const PanelContext& panel, const CellRef& cell,
                                     CellTarget target);

/// The title of a command: "Scale by", "Copy numbers".
const char* titleOf(CellCommand command);
/// The text of the number that a command takes; null where it takes none.
std::string* numberOf(CellCommand command, CellMenuMemory& menu);

/// Runs a command on the menu's target. Where that is impossible, a sentence says why.
void doCommand(const PanelContext& panel, CellMenuMemory& menu, const CellRef& cell,
               CellCommand command);

/// ctrl+C copies the menu's target as tab-separated numbers. ctrl+V pastes numbers from the chosen
/// cell on.
void copyCells(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell);
void pasteCells(const PanelContext& panel, const CellRef& cell);

}  // namespace headscope::ui
