// Cell keys: what the keyboard does with the chosen cell.
#pragma once

#include "app/ui/cell_editing.h"

namespace headscope::ui {

/// Outside of fields and popups. Arrows move the chosen cell (Shift: by 8; Home, End: along its
/// row), Tab goes to the next matrix, ↓ enters the first, Enter types, Shift+Enter opens the
/// commands, Delete unpins, ctrl+C and ctrl+V copy and paste. True where the arrows, Home and End
/// were its; on the timeline they are not.
bool cellKeys(const Panel& panel, CellEditing& editing);

}  // namespace headscope::ui
