// Stage: the current step's matrices as heatmaps, laid out as the multiplication they are, with the
// arithmetic of the cell under the mouse or clicked.
#pragma once

#include "app/ui/cells/cell_editing.h"
#include "app/ui/panel.h"
#include "app/ui/stage/arithmetic_strip.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// Fills the current card. On the timeline it shows what belongs to that moment, and says it.
void stagePanel(const Panel& panel, ArithmeticMemory& memory, CellEditing& editing,
                const Playback& playback);

}  // namespace headscope::ui
