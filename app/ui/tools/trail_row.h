// Trail row: the cells traced back through, as a breadcrumb, and the way one step further back.
#pragma once

#include "app/ui/panel.h"
#include "core/steps/step.h"

namespace headscope::ui {

/// At the cursor, one line. `explanation` is that of `cell`; none for an operand of the document.
void trailRow(const Panel& panel, const CellRef& cell, const Explanation* explanation);

}  // namespace headscope::ui
