// Stage items: what the stage shows for a step, in reading order: matrices, laid out as the
// multiplication they are, and the signs between them; and which cells of each light up for the
// cell looked at. Pure: no drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/parts/matrix.h"
#include "app/ui/step_looks.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {

struct StageItem {
  bool sign = false;
  std::string text;  // a sign ("×", "="), or the matrix's symbol with ^ and _ for rich text
  Ink ink = Ink::plain;
  MatrixRef ref;
  Lane rowLane = Lane::none, colLane = Lane::none;
  Index rowOffset = 0, colOffset = 0;      // of the first row and column along their lanes
  bool result = false;                     // what the step gives
  Index outlinedFrom = 0, outlinedTo = 0;  // columns (as shown) marked as the chosen head's
  bool outlineRows = false;                // … or rows
  Index leftOutOf = 0;  // columns of X that there are, where some are left out; else 0
  bool linked = true;   // its rows and columns are those of the same lanes in the other matrices
  float numberWidth = 0.0F;  // points a column needs for its numbers; 0: has none, or too many
};

/// Items of a step for the chosen head and batch item.
std::vector<StageItem> stageItems(StepId step, const AttentionConfig& config,
                                  const ViewState& view);

/// The tensor a step's grid of all heads shows, where it has one.
std::optional<TensorId> perHeadResult(StepId step, const ViewState& view);

/// How an axis of a matrix is labelled along a lane: by tokens, or by "feature" and a number.
bool isTokenLane(Lane lane);

// What lights up: what the cell looked at is made of.

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
