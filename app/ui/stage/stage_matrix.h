// Stage matrix: one matrix of the stage with all that belongs to it: its name and shape, numbers,
// axis labels, what is lit in it, and the cell under the mouse.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "app/ui/parts/axis_labels.h"
#include "app/ui/stage/stage_items.h"

namespace headscope::ui {

/// Where the mouse or the chosen cell stands along each lane; −1: nowhere.
using Lit = std::array<Index, 5>;

/// A part of a matrix in its own rows and columns as shown; fractions cut through a cell.
struct CellRange {
  double row0 = 0.0, row1 = 0.0, col0 = 0.0, col1 = 0.0;

  bool operator==(const CellRange&) const = default;
};

/// How the names of columns stand below the matrices of a stage.
struct ColumnNames {
  float room = 0.0F;    // at most, for turned ones
  bool turned = false;  // where they do not fit on a line
  bool curves = true;   // of a series: above them, where the stage is high enough
};

struct StageMatrix {
  const StageItem& item;
  ColorScale scale;
  Rect at;
  ColumnNames names = {};
  const Explanation* explained = nullptr;  // of a result's cell: its operands are lit, not lanes
  bool pickable = true;                    // the mouse can be on its cells
  std::span<const CellRange> veiled = {};  // not yet reached by the timeline
  std::string range = {};  // of its values, where its scale is shared with another matrix
};

/// The numbers of its cells as the stage writes them.
CellNumbers stageNumbers(const Trace& trace, const MatrixRef& ref);

/// Everything but the heatmap itself. Gives the cell under the mouse; a click chooses it.
std::optional<Hover> drawStageMatrix(const PanelContext& panel, const StageMatrix& matrix,
                                     const Lit& lit);

/// What has not been reached yet is covered with it.
ImU32 veilColor(const Theme& theme);

/// The tokens along a lane of the stage, as labels of rows; none for other lanes.
AxisLabels stageLabels(const PanelContext& panel, Lane lane, Index lit = -1);
/// The same as labels of columns `width` points wide in all: for who lays out the stage and for who
/// draws it.
ColumnLabels stageColumnLabels(const PanelContext& panel, Lane lane, float width,
                               const ColumnNames& names, Index lit = -1);

}  // namespace headscope::ui
