// Heads strip: every head's weights in a row that scrolls, with its number and columns.
#pragma once

#include "app/ui/heads/figures.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Fills the current card. Click chooses a head.
void headsStrip(const Panel& panel, Magnitudes& magnitudes, const MeasuredHeads& measured);

}  // namespace headscope::ui
