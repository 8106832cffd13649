// Stage lit: which cells of a step's matrices light up: what the cell looked at is made of. Pure:
// no drawing.
#pragma once

#include <optional>

#include "app/ui/stage_items.h"
#include "core/steps/step.h"

namespace headscope::ui {

/// A block of cells of a matrix as it is shown.
struct LitBlock {
  Index row = 0, rows = 1;
  Index col = 0, cols = 1;

  bool operator==(const LitBlock&) const = default;
};

/// The cell looked at, where a step's result has it.
std::optional<CellRef> resultLookedAt(const std::vector<StageItem>& items, StepId step,
                                      const ViewState& view);

/// In one matrix of the step that gives a cell: that cell, or its operands there (a row of Q, a
/// column of K^T, one cell of a bias); nothing where it has none.
std::optional<LitBlock> litBlock(const StageItem& item, const Explanation& explanation);

/// One cell, where the matrix shows it.
std::optional<LitBlock> litCell(const StageItem& item, const CellRef& cell);

}  // namespace headscope::ui
