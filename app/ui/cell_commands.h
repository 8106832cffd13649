// Cell commands: what can be done with a chosen cell's row, column, head or matrix; which of it
// applies, what it is called, and the edit it pushes.
#pragma once

#include <string>
#include <vector>

#include "app/ui/cell_editing.h"

namespace headscope::ui {

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
Region targetRegion(const Panel& panel, const CellMenuMemory& menu, const CellRef& cell);

/// What it is called, as it is shown.
std::string targetName(const Panel& panel, const CellMenuMemory& menu, const CellRef& cell);

/// Those that apply to a target of the chosen cell.
std::vector<CellCommand> commandsFor(const Panel& panel, const CellRef& cell, CellTarget target);

/// "Scale by", "Copy numbers".
const char* titleOf(CellCommand command);
/// What it takes: a number typed beside it; null without one.
std::string* numberOf(CellCommand command, CellMenuMemory& menu);

/// Does it to the target chosen in the menu. What cannot be done is said in a sentence.
void doCommand(const Panel& panel, CellMenuMemory& menu, const CellRef& cell, CellCommand command);

/// ctrl+C: the menu's target as tab-separated numbers. ctrl+V: numbers from the chosen cell on.
void copyCells(const Panel& panel, const CellMenuMemory& menu, const CellRef& cell);
void pasteCells(const Panel& panel, const CellRef& cell);

}  // namespace headscope::ui
