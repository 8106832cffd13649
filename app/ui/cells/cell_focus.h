// Cell focus: the matrices of the current step in which a cell can be chosen, and how the chosen
// cell moves in and between them. Also traces a cell back through its operands to the document; the
// cells visited are the trail. Pure: no drawing.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/ui/parts/matrix.h"
#include "core/analysis/sharpness.h"
#include "core/attention/steps/step_id.h"

namespace headscope {
struct Explanation;
}  // namespace headscope

namespace headscope::ui {

struct Selection;
struct ViewState;

/// The matrices in reading order; where all heads are shown, one per head.
std::vector<MatrixRef> focusableMatrices(const ViewState& view, const AttentionConfig& config);

/// The matrix that contains the chosen cell; none where it is not shown.
std::optional<MatrixRef> focusedMatrix(const ViewState& view, const AttentionConfig& config);

/// Returns the cell whose arithmetic is shown: the chosen one, or the one under the mouse where
/// none is chosen. Pointing at another cell changes nothing but the tooltip.
std::optional<CellRef> explainedCell(const ViewState& view);

/// The query row of the explained cell, in the chosen head; row 0 where that cell has no query.
RowRef rowLookedAt(const ViewState& view, const AttentionConfig& config);

/// Moves the chosen cell within its matrix; down and right are as shown.
void moveChosenCell(ViewState& view, const AttentionConfig& config, Index down, Index right);

/// Chooses a cell of the next (by = 1) or previous (by = −1) matrix at about the same row and
/// column. Where none was chosen, chooses the first cell of the step's result.
void focusNextMatrix(ViewState& view, const AttentionConfig& config, int by);

/// Shows gradients on the step view, once they are computed, or values. The chosen cell follows.
void showGradients(ViewState& view, bool on);

/// Chooses a cell. Where the step view does not show it, also opens a step and a head that do.
void showCell(ViewState& view, const AttentionConfig& config, const CellRef& cell);

// Tracing back.

/// The operand to trace back to: the left operand of the term with the largest |product|, or for a
/// weight its own score. None where a cell has no terms.
std::optional<CellRef> mainOperand(const Explanation& explanation);

/// The step whose matrices show a tensor: the step that computes it, or for an operand the step
/// that uses it.
StepId stepShowing(TensorId tensor);

/// The cell at the same place among the columns of another head: of Q, K, V, concat, and the
/// weights and biases of heads. Any other cell is returned as it is.
CellRef inHead(const CellRef& cell, const AttentionConfig& config, Index from, Index to);

/// Chooses a cell and sets step, part, head and item so that they show it.
void lookAt(ViewState& view, const AttentionConfig& config, const CellRef& cell);

/// The trail that ends at `cell`; only `cell` where the view's trail ends elsewhere.
std::vector<CellRef> trailTo(const Selection& selection, const AttentionConfig& config,
                             const CellRef& cell);

/// Traces back one step, from a cell to one of its operands.
void traceBack(ViewState& view, const AttentionConfig& config, const CellRef& from,
               const CellRef& operand);

/// Returns to an earlier cell of the trail and removes the later ones.
void returnTo(ViewState& view, const AttentionConfig& config, std::size_t crumb);

/// Returns to the previous cell of the trail, if there is one.
void returnOne(ViewState& view, const AttentionConfig& config);

}  // namespace headscope::ui
