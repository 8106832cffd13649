// Terms panel: where a number comes from: the cell looked at, all terms of its arithmetic, and the
// trail of cells traced back through.
#pragma once

#include "app/ui/panel.h"
#include "app/ui/tools/term_table.h"
#include "core/words/arithmetic.h"

namespace headscope::ui {

/// What the panel remembers between frames, all of it recomputable.
struct TermsMemory {
  TermTableMemory table;
};

/// Fills the current card below its tabs.
void termsPanel(const Panel& panel, TermsMemory& memory, Explanations& explanations);

}  // namespace headscope::ui
