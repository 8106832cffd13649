// Matrix marks: marks over a heatmap for special cells: pinned ones, cells that dropout dropped,
// rows whose keys are all masked, rows of weights that do not sum to 1.
#pragma once

#include "app/ui/parts/matrix.h"

namespace headscope::ui {

struct PanelContext;

/// A matrix and its place on the screen.
struct MarkedMatrix {
  const MatrixRef& ref;
  Rect at;

  MatrixPlace place() const { return ref.placedAt(at); }
};

/// Draws corner triangles and borders on pinned cells (dots where cells are tiny) and crosses on
/// dropped ones.
void drawCellMarks(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// Draws a frame around a cell of the matrix, at least a few points wide.
void frameCell(const FrameContext& look, ImDrawList* list, const MarkedMatrix& matrix,
               const CellRef& cell);

/// Draws a sign at the left of each row whose keys are all masked.
void drawFullyMaskedMarks(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// The room at the right of weights for the sums of their rows. It is always reserved, so that the
/// first pin moves nothing away from the mouse. 0 for other matrices.
float rowSumRoom(const FrameContext& look, const MatrixRef& ref);
/// Returns whether pins, dropout or a mistake may make a row of weights sum to another value
/// than 1.
bool rowsMayNotSumToOne(const Trace& trace, Index item, Index head);
/// Draws Σ at the right of each row that does not sum to 1.
void drawRowSums(const PanelContext& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// Returns the sum of a row of weights.
double rowSum(const Trace& trace, Index item, Index head, Index row);

}  // namespace headscope::ui
