// Inspector: the window's right card with its tabs. The first takes the cell looked at apart: its
// value, its row after the softmax, what the head measures, its query vector, and the step in
// PyTorch.
#pragma once

#include "app/ui/cells/cell_editing.h"
#include "app/ui/heads/figures.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/scenes_panel.h"

namespace headscope::ui {

/// Fills the current card.
void inspectorCard(const Panel& panel, Magnitudes& magnitudes, CellEditing& editing,
                   ScenesPanel& scenes, const MeasuredHeads& heads);

}  // namespace headscope::ui
