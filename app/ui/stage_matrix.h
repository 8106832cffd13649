// Stage matrix: one matrix of the stage with all that belongs to it: its name and shape, numbers,
// axis labels, what is lit in it, and the cell under the mouse.
#pragma once

#include <array>
#include <optional>

#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"
#include "app/ui/stage_items.h"
#include "app/ui/stage_lit.h"

namespace headscope::ui {

/// Where the mouse or the chosen cell stands along each lane; −1: nowhere.
using Lit = std::array<Index, 5>;

struct StageMatrix {
  const StageItem& item;
  ColorScale scale;
  ImVec2 a, b;                             // its corners on screen
  const Explanation* explained = nullptr;  // of a result's cell: its operands are lit, not lanes
  bool pickable = true;                    // the mouse can be on its cells
};

/// Everything but the heatmap itself. Gives the cell under the mouse; a click chooses it.
std::optional<Hover> drawStageMatrix(const Panel& panel, const StageMatrix& matrix, const Lit& lit);

/// Room the label of a token takes at most.
float stageLabelLimit(const Look& look);

}  // namespace headscope::ui
