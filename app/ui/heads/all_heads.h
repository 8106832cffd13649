// All heads: every head as a heatmap or as lines, in a grid that fits itself to count and window;
// some of them side by side, and long inputs by parts.
#pragma once

#include <functional>

#include "app/ui/heads/figures.h"
#include "app/ui/heads/head_pictures.h"
#include "app/ui/heads/head_tile_group.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct AllHeadsMemory {
  HeadPictures pictures;
  TileMouse mouse;
  Index queryStep = 1, keyStep = 1;  // tokens to a cell drawn
  bool takesWheel = false;           // the mouse is on a tile: nothing else scrolls
};

/// Fills the current card. `figures` may be null: not measured yet.
void allHeadsCard(const Panel& panel, AllHeadsMemory& memory, const Figures* figures,
                  FiguresMemory& measuring, Magnitudes& magnitudes);

}  // namespace headscope::ui
