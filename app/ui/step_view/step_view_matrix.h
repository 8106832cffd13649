// Step view matrix: one matrix of the step view with its name and shape, numbers, axis labels, lit
// cells, and the cell under the mouse.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "app/ui/hover.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/step_view/step_view_items.h"

namespace headscope {
struct Explanation;
}  // namespace headscope

namespace headscope::ui {

struct PanelContext;

/// The position of the mouse or of the chosen cell along each lane; −1: none.
using Lit = std::array<Index, 5>;

/// A part of a matrix in rows and columns as shown; fractions cut through a cell.
struct MatrixPart {
  double row0 = 0.0, row1 = 0.0, col0 = 0.0, col1 = 0.0;

  bool operator==(const MatrixPart&) const = default;
};

/// The arrangement of the names of columns below the matrices of a step view.
struct ColumnNames {
  float room = 0.0F;    // the largest height of turned names
  bool turned = false;  // whether they are turned, since they do not fit on a line
  bool curves = true;  // whether a series has curves above them, where the step view is high enough
};

struct StepViewMatrix {
  const StepViewItem& item;
  ColorScale scale;
  Rect at;
  ColumnNames names = {};
  const Explanation* explained = nullptr;   // lights the operands of a result's cell, not lanes
  bool pickable = true;                     // whether its cells react to the mouse
  std::span<const MatrixPart> veiled = {};  // the parts that the timeline has not reached
  std::string range = {};  // the range of its values, where it shares its scale with another matrix
};

/// The numbers of a matrix's cells in the format of the step view.
CellNumbers stepViewNumbers(const Trace& trace, const MatrixRef& ref);

/// Draws everything but the heatmap itself. Returns the cell under the mouse; a click chooses it.
std::optional<Hover> drawStepViewMatrix(const PanelContext& panel, const StepViewMatrix& matrix,
                                        const Lit& lit);

/// The colour over the parts that the timeline has not reached.
ImU32 veilColor(const Theme& theme);

/// Returns the tokens along a lane of the step view as row labels; none for other lanes.
AxisLabels stepViewLabels(const PanelContext& panel, Lane lane, Index lit = -1);
/// Returns the tokens along a lane as column labels for a matrix `width` points wide. Layout and
/// drawing both use them.
ColumnLabels stepViewColumnLabels(const PanelContext& panel, Lane lane, float width,
                                  const ColumnNames& names, Index lit = -1, Index chosen = -1);

}  // namespace headscope::ui
