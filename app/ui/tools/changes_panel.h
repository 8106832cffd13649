// Changes: the current step's result before and after, what it differs by, and how far every
// token's output moved.
#pragma once

#include "app/ui/panel.h"
#include "app/ui/tools/compared_matrices.h"
#include "app/ui/tools/output_changes.h"

namespace headscope::ui {

struct ChangesMemory {
  ComparedMemory matrices;
  OutputChangesMemory outputs;
};

/// Fills what is left of the current card.
void changesPanel(const Panel& panel, ChangesMemory& memory);

}  // namespace headscope::ui
