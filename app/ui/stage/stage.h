// Stage: the current step's matrices as heatmaps, laid out as the multiplication they are, with the
// arithmetic of the cell under the mouse or clicked.
#pragma once

#include "app/ui/cells/cell_editing.h"
#include "app/ui/panel.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/stage/arithmetic_strip.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// What the stage remembers between frames, all of it recomputable.
struct StageMemory {
  Magnitudes magnitudes;
  Explanations explanations;
  ArithmeticMemory arithmetic;
};

/// Fills the current card. On the timeline it shows what belongs to that moment, and says it.
void stagePanel(const Panel& panel, StageMemory& memory, CellEditing& editing,
                const Playback& playback);

}  // namespace headscope::ui
