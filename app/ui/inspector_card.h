// Inspector card: the window's right card with its tabs; the first takes the cell looked at apart.
#pragma once

#include "app/ui/cell_editing.h"
#include "app/ui/heads/figures.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"
#include "app/ui/scenes_panel.h"

namespace headscope::ui {

/// Fills the current card.
void inspectorCard(const Panel& panel, Magnitudes& magnitudes, CellEditing& editing,
                   ScenesPanel& scenes, const MeasuredHeads& heads);

}  // namespace headscope::ui
