// Cell focus: which matrices of the current step a cell can be chosen in, how the chosen cell moves
// in and between them, and back to a cell that it is made of, and on, down to what the document
// holds; the cells gone through are the trail. Pure: no drawing.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/ui/parts/matrix.h"
#include "core/analysis/sharpness.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {

/// In reading order; where all heads are shown, one per head.
std::vector<MatrixRef> focusableMatrices(const ViewState& view, const AttentionConfig& config);

/// The one the chosen cell lies in, where it is shown.
std::optional<MatrixRef> focusedMatrix(const ViewState& view, const AttentionConfig& config);

/// The query of the cell looked at (the first where it has none), in the chosen head.
RowRef rowLookedAt(const ViewState& view, const AttentionConfig& config);

/// Moves the chosen cell as shown, within its matrix.
void moveChosenCell(ViewState& view, const AttentionConfig& config, Index down, Index right);

/// Chooses a cell of the next (or previous, −1) matrix, about as far down and to the right; the
/// first cell of what the step gives where none was chosen.
void focusNextMatrix(ViewState& view, const AttentionConfig& config, int by);

/// The stage's values, or their gradients once they are there; the chosen cell is turned with them.
void showGradients(ViewState& view, bool on);

/// Chooses a cell and, where it is not on the stage, opens a step and a head that show it.
void showCell(ViewState& view, const AttentionConfig& config, const CellRef& cell);

// Tracing back.

/// Where the main line of a cell's arithmetic leads: the left operand of its largest term; of a
/// weight, its own score. None where a cell has no terms.
std::optional<CellRef> mainOperand(const Explanation& explanation);

/// The step whose matrices show a tensor: the one that gives it, or for an operand the one that
/// uses it.
StepId stepShowing(TensorId tensor);

/// Chooses a cell, and turns step, part, head and item to it.
void lookAt(ViewState& view, const AttentionConfig& config, const CellRef& cell);

/// The cells gone through to `cell`, which is the last of them; it alone where the view's trail
/// leads elsewhere.
std::vector<CellRef> trailTo(const ViewState& view, const AttentionConfig& config,
                             const CellRef& cell);

/// One step back, from a cell to one of its operands.
void traceBack(ViewState& view, const AttentionConfig& config, const CellRef& from,
               const CellRef& operand);

/// To an earlier cell of the trail; those after it are forgotten.
void returnTo(ViewState& view, const AttentionConfig& config, std::size_t crumb);

/// To the cell before on the trail, where the chosen cell has one.
void returnOne(ViewState& view, const AttentionConfig& config);

}  // namespace headscope::ui
