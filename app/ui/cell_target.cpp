#include "app/ui/cell_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/error.h"
#include "core/formats/cell_table.h"

namespace headscope::ui {
namespace {

constexpr Index kMostCopied = Index{4} << 20;  // cells: more would be 40 MB of text

}  // namespace

Index headWithCell(const CellRef& cell, const AttentionConfig& c) {
  switch (cell.tensor) {
    case TensorId::wQ:
    case TensorId::wK:
    case TensorId::wV:
      return cell.row / c.dK();
    case TensorId::wO:
    case TensorId::bQ:
    case TensorId::bK:
    case TensorId::bV:
      return cell.col / c.dK();
    default:
      return -1;
  }
}

std::vector<CellTarget> targetsOf(const CellRef& cell, const AttentionConfig& config) {
  std::vector<CellTarget> targets{CellTarget::cell};
  if (info(cell.tensor).rows != Axis::none) {
    targets.push_back(CellTarget::row);
    targets.push_back(CellTarget::column);
  }
  if (headWithCell(cell, config) >= 0 && config.numHeads > 1) targets.push_back(CellTarget::head);
  targets.push_back(CellTarget::matrix);
  return targets;
}

CellTarget usable(CellTarget target, const CellRef& cell, const AttentionConfig& config) {
  const auto targets = targetsOf(cell, config);
  const bool has = std::find(targets.begin(), targets.end(), target) != targets.end();
  return has ? target : CellTarget::cell;
}

std::string nameOf(CellTarget target, const CellRef& cell, const AttentionConfig& config) {
  switch (target) {
    case CellTarget::row:
      return "row";
    case CellTarget::column:
      return "column";
    case CellTarget::head:
      return headName(cell.tensor, headWithCell(cell, config), config);
    case CellTarget::matrix:
      return "all";
    case CellTarget::cell:
      break;
  }
  return "cell";
}

std::string nameAsShown(const Region& r, bool transposed, const AttentionConfig& config) {
  const Region whole = wholeRegion(r.tensor, r.item, config);
  const bool row = r.rows == 1 && r.cols == whole.cols;
  const bool column = r.cols == 1 && r.rows == whole.rows;
  if (row == column || info(r.tensor).rows == Axis::none) return nameOf(r, config);
  return fmt::format("{} {} {}", info(r.tensor).name, row != transposed ? "row" : "column",
                     row ? r.row : r.col);
}

Region regionOf(CellTarget target, const CellRef& cell, const MatrixRef& shown,
                const AttentionConfig& config) {
  const Region part{cell.tensor, cell.item, shown.row0, shown.rows, shown.col0, shown.cols};
  const bool alongRow = (target == CellTarget::row) != shown.transposed;
  switch (target) {
    case CellTarget::row:
    case CellTarget::column: {
      Region line = part;
      (alongRow ? line.row : line.col) = alongRow ? cell.row : cell.col;
      (alongRow ? line.rows : line.cols) = 1;
      return line;
    }
    case CellTarget::head:
      return headRegion(cell.tensor, headWithCell(cell, config), config);
    case CellTarget::matrix:
      return wholeRegion(cell.tensor, cell.item, config);
    case CellTarget::cell:
      break;
  }
  return {cell.tensor, cell.item, cell.row, 1, cell.col, 1};
}

std::string cellsAsText(const Trace& trace, const CellRef& cell, const Region& r, bool transposed) {
  if (r.rows > kMostCopied / r.cols) {
    throw UserError(
        fmt::format("{} × {} numbers are too many to copy; copy a row or a head, or "
                    "export the tensor",
                    r.rows, r.cols));
  }
  std::vector<float> values(static_cast<std::size_t>(r.rows * r.cols));
  trace.tile(r.tensor, r.item, cell.head, r.row, r.rows, r.col, r.cols, values.data());
  const ConstMatrixView cells{values.data(), r.rows, r.cols, r.cols};
  return formats::printCellTable(transposed ? cells.transposed() : cells);
}

Region pastedRegion(const CellRef& cell, const MatrixRef& shown, Index rows, Index cols) {
  Index row = 0;
  Index col = 0;
  shown.find(cell, &row, &col);
  const Index roomDown = shown.shownRows() - row;
  const Index roomRight = shown.shownCols() - col;
  if (rows > roomDown || cols > roomRight) {
    throw UserError(
        fmt::format("the clipboard has {} × {} numbers, and from this cell of {} on "
                    "there is room for {} × {}: choose a cell further up or left, or "
                    "copy fewer",
                    rows, cols, info(cell.tensor).name, roomDown, roomRight));
  }
  if (shown.transposed) std::swap(rows, cols);
  return {cell.tensor, cell.item, cell.row, rows, cell.col, cols};
}

Tensor turned(const Tensor& pasted, bool transposed) {
  return transposed ? pasted.transposed(0, 1).clone() : pasted;
}

}  // namespace headscope::ui
