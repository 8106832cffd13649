// Cell marks: what is special about cells of a matrix, drawn over its heatmap: pinned ones, ones
// that dropout dropped, rows whose keys are all masked, rows of weights that do not sum to 1.
#pragma once

#include "app/ui/matrix_view.h"

namespace headscope::ui {

/// A matrix between two corners of the screen.
struct MarkedMatrix {
  const MatrixRef& ref;
  ImVec2 a, b;
};

/// Corner triangles and borders of pinned cells (dots where cells are tiny), crosses of dropped
/// ones.
void drawCellMarks(const Panel& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// The frame of the chosen cell, where it lies in the matrix.
void drawChosenCell(const Panel& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// A sign left of each row whose keys are all masked.
void drawFullyMaskedMarks(const Panel& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// Room right of the weights for the sums of their rows: always there, so that nothing moves away
/// from the mouse with the first pin. 0 for other matrices.
float rowSumRoom(const Look& look, const MatrixRef& ref);
/// Pins, dropout or a mistake can make a row of weights sum to something else than 1.
bool rowsMayNotSumToOne(const Trace& trace, Index item, Index head);
/// Σ right of each row that does not sum to 1.
void drawRowSums(const Panel& panel, ImDrawList* list, const MarkedMatrix& matrix);

/// The sum of a row of weights.
double rowSum(const Trace& trace, Index item, Index head, Index row);

}  // namespace headscope::ui
