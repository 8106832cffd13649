// Looks card: where each token looks, as lines; the values that are mixed; q·k as lengths and
// angle.
#pragma once

#include "app/ui/heads/figures.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct LooksMemory {};

/// Fills the current card. `figures` may be null: not measured yet.
void looksCard(const Panel& panel, LooksMemory& memory, const Figures* figures,
               FiguresMemory& measuring, Magnitudes& magnitudes);

}  // namespace headscope::ui
