// All heads: every head as a heatmap or as lines, in a grid that fits itself to count and window.
#pragma once

#include "app/ui/heads/figures.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct AllHeadsMemory {};

/// Fills the current card. `figures` may be null: not measured yet.
void allHeadsCard(const Panel& panel, AllHeadsMemory& memory, const Figures* figures,
                  FiguresMemory& measuring, Magnitudes& magnitudes);

}  // namespace headscope::ui
