// Step view items: the matrices and signs of a step in reading order, laid out as a multiplication,
// and the cells of each that light up for the cell under the mouse or chosen. Pure: no drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/hover.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/step_looks.h"
#include "core/attention/places.h"
#include "core/attention/steps/step_id.h"

namespace headscope {
struct Explanation;
}  // namespace headscope

namespace headscope::ui {

struct Selection;
struct ViewState;

struct StepViewItem {
  bool sign = false;
  std::string text;  // a sign ("×", "="), or the matrix's symbol with ^ and _ for rich text
  Ink ink = Ink::plain;
  MatrixRef ref;
  Lane rowLane = Lane::none, colLane = Lane::none;
  Index rowOffset = 0, colOffset = 0;      // the first row's and column's places along their lanes
  bool result = false;                     // whether it is the step's result
  Index outlinedFrom = 0, outlinedTo = 0;  // the columns (as shown) outlined as the chosen head's …
  bool outlineRows = false;                // … or rows
  Index leftOutOf = 0;       // the number of all columns of X where some are left out; else 0
  bool linked = true;        // whether it lights up with the lanes of other matrices
  float numberWidth = 0.0F;  // the points that a column needs for its numbers; 0: none, or too many
};

/// Returns the items of a step for the chosen head and batch item.
std::vector<StepViewItem> stepViewItems(StepId step, const AttentionConfig& config,
                                        const ViewState& view);

/// Returns the tensor that a step's grid of all heads shows; none where it has no grid.
std::optional<TensorId> perHeadResult(StepId step, const Selection& selection);

/// Returns whether a lane is labelled by tokens; others by "feature" and a number.
bool isTokenLane(Lane lane);

// The cells that light up: the operands of the cell under the mouse or chosen.

/// Returns the explained cell if it belongs to the step's result.
std::optional<CellRef> resultLookedAt(const std::vector<StepViewItem>& items, StepId step,
                                      const ViewState& view);

/// Returns the cells of one matrix that belong to a cell of the result: the cell itself, or its
/// operands (a row of Q, a column of K^T, one cell of a bias); none where there are none.
std::optional<CellBlock> litBlock(const StepViewItem& item, const Explanation& explanation);

/// Returns one cell as a block, where the matrix shows it.
std::optional<CellBlock> litCell(const StepViewItem& item, const CellRef& cell);

}  // namespace headscope::ui
