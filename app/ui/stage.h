// Stage: the current step's matrices as heatmaps, laid out as the multiplication they are, with the
// arithmetic of the cell under the mouse or clicked.
#pragma once

#include <string>

#include "app/ui/arithmetic.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// What the stage remembers between frames, all of it recomputable.
struct StageMemory {
  Magnitudes magnitudes;
  CellRef explained;
  std::uint64_t explainedPass = 0;
  std::size_t explainedTerms = 0;
  Arithmetic arithmetic;
};

/// Fills the current card.
void stagePanel(const Panel& panel, StageMemory& memory);

}  // namespace headscope::ui
