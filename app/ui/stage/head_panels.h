// Head panels: the heads of the pass in pictures: the strip of all weights below the stage, and the
// grid of one matrix of every head that fills it.
#pragma once

#include <memory>
#include <optional>

#include "app/ui/card.h"
#include "app/ui/heads/figures.h"
#include "app/ui/parts/head_grid.h"

namespace headscope::ui {

/// Every head's weights in a row that scrolls, with its number and columns, or alone in a grid; a
/// click chooses a head.
std::unique_ptr<Card> makeHeadsStrip();

/// Where the timeline stands on all heads: the first so many have been reached, and some room is
/// left below for what it says.
struct HeadGridPlay {
  Index reached = 0;
  float roomBelow = 0.0F;
};

/// All heads of `tensor` in the rest of the current window. A click chooses a head and a cell.
void headGrid(const PanelContext& panel, TensorId tensor,
              const std::optional<HeadGridPlay>& play = {});

}  // namespace headscope::ui
