// Cell target: the block of cells that a command on a chosen cell is about (the cell, its row, its
// column, its head's part, its matrix), as shown on the stage. Pure: no drawing.
#pragma once

#include <string>
#include <vector>

#include "app/ui/matrix_view.h"
#include "core/region.h"

namespace headscope::ui {

enum class CellTarget { cell, row, column, head, matrix };

/// Those a cell has: no head's part where a tensor has none, no row of a single one.
std::vector<CellTarget> targetsOf(const CellRef& cell, const AttentionConfig& config);

/// The target, or the cell alone where it has none such.
CellTarget usable(CellTarget target, const CellRef& cell, const AttentionConfig& config);

/// Its name on screen: "row", "head 3".
std::string nameOf(CellTarget target, const CellRef& cell, const AttentionConfig& config);

/// A block's name on screen, where a row of the tensor is a column if it is shown transposed:
/// "W_Q column 3".
std::string nameAsShown(const Region& region, bool transposed, const AttentionConfig& config);

/// The block, in the tensor's own rows and columns. A row or column is one as `shown`: of a W drawn
/// transposed, and of the head's part of it where only that is drawn, what one sees is meant.
Region regionOf(CellTarget target, const CellRef& cell, const MatrixRef& shown,
                const AttentionConfig& config);

/// The head that has a cell of a weight matrix or bias; −1 where heads have no part of their own.
Index headWithCell(const CellRef& cell, const AttentionConfig& config);

/// The cells of a block as shown, one row a line, separated by tabs.
std::string cellsAsText(const Trace& trace, const CellRef& cell, const Region& region,
                        bool transposed);

/// The block that pasted numbers (rows and columns as shown) fill from a cell on, right and down.
/// Throws UserError with both shapes where they do not fit what is shown.
Region pastedRegion(const CellRef& cell, const MatrixRef& shown, Index rows, Index cols);

/// Pasted numbers for a block, the tensor's way round.
Tensor turned(const Tensor& pasted, bool transposed);

}  // namespace headscope::ui
