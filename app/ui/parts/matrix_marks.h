// Matrix marks: what is special about cells of a matrix, drawn over its heatmap: pinned ones, ones
// that dropout dropped, rows whose keys are all masked, rows of weights that do not sum to 1.
#pragma once

#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// A matrix and where it stands on the screen.
struct MarkedMatrix {
  const MatrixRef& ref;
  Rect at;

  MatrixPlace place() const { return ref.placedAt(at); }
};

/// Corner triangles and borders of pinned cells (dots where cells are tiny), crosses of dropped
/// ones.
void drawCellMarks(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// A frame around a cell that lies in the matrix, at least a few points wide.
void frameCell(const FrameContext& look, ImDrawList* list, const MarkedMatrix& matrix,
               const CellRef& cell);

/// A sign left of each row whose keys are all masked.
void drawFullyMaskedMarks(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// Room right of the weights for the sums of their rows: always there, so that nothing moves away
/// from the mouse with the first pin. 0 for other matrices.
float rowSumRoom(const FrameContext& look, const MatrixRef& ref);
/// Pins, dropout or a mistake can make a row of weights sum to something else than 1.
bool rowsMayNotSumToOne(const Trace& trace, Index item, Index head);
/// Σ right of each row that does not sum to 1.
void drawRowSums(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// The sum of a row of weights.
double rowSum(const Trace& trace, Index item, Index head, Index row);

}  // namespace headscope::ui
