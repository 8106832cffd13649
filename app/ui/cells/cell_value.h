// Cell value: the inspector's field with a cell's value, whether it is computed, typed or pinned,
// and what can be done with it.
#pragma once

#include "app/ui/cells/cell_editing.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// At the cursor, over the width there is.
void cellValue(const PanelContext& panel, Magnitudes& magnitudes, CellEditing& editing,
               const CellRef& cell);

}  // namespace headscope::ui
