// Grid controls: the switches above the grid of all heads, and the words that belong to them.
#pragma once

#include "app/ui/heads/figures.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct GridControls {
  ColorScale scale;     // what the strip shows
  Index queryStep = 1;  // tokens to a block
  Index keyStep = 1;
};

/// Changes the view; the grid fills what is left below. `figures` may be null.
void gridControls(const Panel& panel, const Figures* figures, const GridControls& controls);

}  // namespace headscope::ui
