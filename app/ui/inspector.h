// Inspector: the chosen query of the chosen head: its value, its row after the softmax, what
// the head measures, its query vector, and the step in PyTorch.
#pragma once

#include "app/ui/cell_editing.h"
#include "app/ui/heads/figures.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Fills the current card.
void inspectorPanel(const Panel& panel, Magnitudes& magnitudes, CellEditing& editing,
                    const MeasuredHeads& heads);

}  // namespace headscope::ui
