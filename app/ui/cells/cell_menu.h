// Cell menu: the commands on a chosen cell's row, column, head or matrix, as a popup that the mouse
// and the arrow keys work alike.
#pragma once

#include "app/ui/cells/cell_editing.h"

namespace headscope::ui {

/// Opens the menu for a cell, in the current window, at `place`, or at the mouse where that is
/// null.
void openCellMenu(const PanelContext& panel, CellMenuMemory& menu, const CellRef& cell,
                  const ImVec2* place);

/// Draws the menu while it is open. Call it in the window in which it was opened.
void cellMenu(const PanelContext& panel, CellMenuMemory& menu);

}  // namespace headscope::ui
