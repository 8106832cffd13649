// Head panels: pictures of all heads of the pass: the strip of their weights below the step view,
// and the grid that fills the step view with one matrix per head.
#pragma once

#include <memory>
#include <optional>

#include "app/ui/card.h"
#include "app/ui/parts/head_grid.h"

namespace headscope::ui {

/// The query head that shows head `head` of a tensor: itself; for keys and values the first that
/// reads them.
Index queryHeadOf(TensorId tensor, const AttentionConfig& config, Index head);

/// The card with the weights of every head in a row that scrolls, with numbers and columns, or
/// alone in a grid. A click chooses a head.
std::unique_ptr<Card> makeHeadsStrip();

/// The position of the timeline among all heads: `reached` heads have been reached, and `roomBelow`
/// is left free for the narration.
struct HeadGridPlay {
  Index reached = 0;
  float roomBelow = 0.0F;
};

/// Draws all heads of `tensor` in the rest of the current window. A click chooses a head and a
/// cell.
void headGrid(const PanelContext& panel, TensorId tensor,
              const std::optional<HeadGridPlay>& play = {});

}  // namespace headscope::ui
