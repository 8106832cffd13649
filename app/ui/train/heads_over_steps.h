// Heads over steps: every head of a run at several of its steps, side by side, with what it did at
// each. Each head has a row, each step a column.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "app/ui/train/trained_heads.h"

namespace headscope::ui {

/// One column.
struct HeadsColumn {
  Index step = 0;
  double loss = 0.0;
  std::span<const Tensor> weights;  // by layer: (1,H,T,T)
  std::function<HeadTitle(const HeadOfLayer&)> title;
};

struct HeadsOverSteps {
  Index layers = 1, heads = 1;
  bool causal = false;
  std::uint64_t number = 0;  // identifies what is shown
  std::vector<HeadsColumn> columns;
};

/// Draws the pictures into the room. Returns the step of a column that was clicked.
std::optional<Index> drawHeadsOverSteps(const FrameContext& look, const Rect& room,
                                        const HeadsOverSteps& shown);

}  // namespace headscope::ui
