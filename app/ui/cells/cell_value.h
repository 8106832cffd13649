// Cell value: the inspector's field with a cell's value, its state (computed, typed or pinned) and
// the actions on it.
#pragma once

#include "app/ui/cells/cell_editing.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// Draws the field at the cursor, over the available width.
void cellValue(const PanelContext& panel, Magnitudes& magnitudes, CellEditing& editing,
               const CellRef& cell);

}  // namespace headscope::ui
