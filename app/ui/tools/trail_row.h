// Trail row: the cells traced back through, as a breadcrumb.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

/// At the cursor, one line; nothing where the trail has but this cell.
void trailRow(const Panel& panel, const CellRef& cell);

}  // namespace headscope::ui
