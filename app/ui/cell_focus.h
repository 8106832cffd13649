// Cell focus: which matrices of the current step a cell can be chosen in, and how the chosen cell
// moves in and between them. Pure: no drawing.
#pragma once

#include <optional>
#include <vector>

#include "app/ui/matrix_view.h"

namespace headscope::ui {

/// In reading order; where all heads are shown, one per head.
std::vector<MatrixRef> focusableMatrices(const ViewState& view, const AttentionConfig& config);

/// The one the chosen cell lies in, where it is shown.
std::optional<MatrixRef> focusedMatrix(const ViewState& view, const AttentionConfig& config);

/// Moves the chosen cell as shown, within its matrix.
void moveChosenCell(ViewState& view, const AttentionConfig& config, Index down, Index right);

/// Chooses a cell of the next (or previous, −1) matrix, about as far down and to the right; the
/// first cell of what the step gives where none was chosen.
void focusNextMatrix(ViewState& view, const AttentionConfig& config, int by);

/// Chooses a cell and, where it is not on the stage, opens a step and a head that show it.
void showCell(ViewState& view, const AttentionConfig& config, const CellRef& cell);

}  // namespace headscope::ui
