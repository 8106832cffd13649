#include "app/ui/cells/cell_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/frame_commands.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/step_looks.h"
#include "app/ui/view_state.h"
#include "core/attention/config.h"
#include "core/attention/gradients.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/input/tables.h"

namespace headscope::ui {
namespace {

constexpr Index kMostCopied = Index{4} << 20;  // cells: more would be 40 MB of text

/// Returns the shown matrix of a cell. Where it is not shown, returns the whole matrix, not
/// transposed.
MatrixRef shownMatrix(const PanelContext& panel, const CellRef& cell) {
  const AttentionConfig& c = panel.trace.config();
  ViewState view = panel.view;
  view.selection.cell = cell;
  if (const auto focused = focusedMatrix(view, c)) return *focused;
  MatrixRef ref = wholeMatrix(cell.tensor, c, std::max<Index>(cell.item, 0), 0);
  ref.head = cell.head;
  return ref;
}

/// Runs an action. Reports a failure in the status bar.
void attempt(const PanelContext& panel, const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    panel.commands.say(error.what(), true);
  }
}

std::string clipboard() {
  const char* text = ImGui::GetClipboardText();
  return text != nullptr ? text : "";
}

std::uint64_t seedOf(const std::string& text) {
  const auto seed = wholeNumber(text);
  if (seed && *seed >= 0) return static_cast<std::uint64_t>(*seed);
  throw UserError(trFormat("seed: \"{}\" is not a whole number of at least 0", text));
}

/// Region::head: the pair bias has a matrix for each head.
Index headOfRegion(const CellRef& cell) {
  return cell.tensor == TensorId::pairBias ? cell.head : -1;
}

Index headOf(const std::string& text, Index heads) {
  const auto head = wholeNumber(text);
  if (head && *head >= 1 && *head <= heads) return *head - 1;
  throw UserError(trFormat("head: \"{}\" is not one of the heads 1 … {}", text, heads));
}

/// Pastes over the menu's target numbers of as many rows and columns as it has on screen.
void pasteOverTarget(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell) {
  const bool transposed = shownMatrix(panel, cell).transposed;
  const Region region = targetRegion(panel, menu, cell);
  const Tensor pasted = parseCellTable(clipboard());
  const Index rows = transposed ? region.cols : region.rows;
  const Index cols = transposed ? region.rows : region.cols;
  if (pasted.shape() != Shape{rows, cols}) {
    throw UserError(
        trFormat("{} takes {} × {} numbers, and the clipboard has {} × {}: choose another "
                 "target, or press ctrl+V to paste starting at this cell",
                 targetName(panel, menu, cell), rows, cols, pasted.dim(0), pasted.dim(1)));
  }
  panel.commands.push(FillRegion{region, FillValues{turned(pasted, transposed)}});
}

}  // namespace

// The targets of a command.

Index headWithCell(const CellRef& cell, const AttentionConfig& c) {
  const ProjectedPart* part = partWith(cell.tensor);
  const bool gateWeight = cell.tensor == TensorId::wG;
  if (gateWeight || (part != nullptr && cell.tensor == part->weight)) return cell.row / c.dK();
  const bool bias = cell.tensor == TensorId::bG || (part != nullptr && cell.tensor == part->bias);
  return bias || cell.tensor == TensorId::wO ? cell.col / c.dK() : -1;
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
  const Index head = headOfRegion(cell);
  const Region part{cell.tensor, cell.item, shown.row0, shown.rows, shown.col0, shown.cols, head};
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
    case CellTarget::matrix: {
      Region whole = wholeRegion(cell.tensor, cell.item, config);
      whole.head = head;
      return whole;
    }
    case CellTarget::cell:
      break;
  }
  return {cell.tensor, cell.item, cell.row, 1, cell.col, 1, head};
}

std::string cellsAsText(const Trace& trace, const CellRef& cell, const Region& r, bool transposed) {
  if (r.rows > kMostCopied / r.cols) {
    throw UserError(
        trFormat("{} × {} numbers are too many to copy; copy a row or a head, or "
                 "export the tensor",
                 r.rows, r.cols));
  }
  std::vector<float> values(static_cast<std::size_t>(r.rows * r.cols));
  trace.side(cell.gradient)
      .tile(r.tensor, r.item, cell.head, r.row, r.rows, r.col, r.cols, values.data());
  const ConstMatrixView cells{values.data(), r.rows, r.cols, r.cols};
  return printCellTable(transposed ? cells.transposed() : cells);
}

Region pastedRegion(const CellRef& cell, const MatrixRef& shown, Index rows, Index cols) {
  const MatrixCell at = shown.find(cell).value_or(MatrixCell{});
  const Index roomDown = shown.shownRows() - at.row;
  const Index roomRight = shown.shownCols() - at.col;
  if (rows > roomDown || cols > roomRight) {
    throw UserError(
        trFormat("the clipboard has {} × {} numbers, and {} has room for {} × {} starting at "
                 "this cell: choose a cell further up or left, or copy fewer",
                 rows, cols, info(cell.tensor).name, roomDown, roomRight));
  }
  if (shown.transposed) std::swap(rows, cols);
  return {cell.tensor, cell.item, cell.row, rows, cell.col, cols, headOfRegion(cell)};
}

Tensor turned(const Tensor& pasted, bool transposed) {
  return transposed ? pasted.transposed(0, 1).clone() : pasted;
}

// The commands.

Region targetRegion(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell) {
  const AttentionConfig& c = panel.trace.config();
  return regionOf(usable(menu.target, cell, c), cell, shownMatrix(panel, cell), c);
}

std::string targetName(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell) {
  return (cell.gradient ? tr("gradient of ") : "") +
         nameAsShown(targetRegion(panel, menu, cell), shownMatrix(panel, cell).transposed,
                     panel.trace.config());
}

std::vector<CellCommand> commandsFor(const PanelContext& panel, const CellRef& cell,
                                     CellTarget target) {
  const AttentionConfig& c = panel.trace.config();
  std::vector<CellCommand> commands;
  const auto add = [&](CellCommand command, bool applies) {
    if (applies) commands.push_back(command);
  };
  const CellAccess access = cellAccess(panel.trace, cell);
  const bool operand = access.kind == CellKind::operand;
  const bool block = target == CellTarget::head || target == CellTarget::matrix;
  add(CellCommand::zero, operand);
  add(CellCommand::identity, operand && block && info(cell.tensor).rows != Axis::none);
  add(CellCommand::scale, operand);
  add(CellCommand::redraw, operand);
  add(CellCommand::copyHead,
      operand && target == CellTarget::head && headCount(cell.tensor, c) > 1);
  add(CellCommand::tieKeys, operand && cell.tensor == TensorId::wK &&
                                target == CellTarget::matrix && c.kvWidth() == c.dModel);
  add(CellCommand::unpin, panel.document.pins.at(access.target).has_value());
  add(CellCommand::unpinMatrix,
      !cell.gradient &&
          !panel.document.pins.of(access.target.tensor, access.target.item, access.target.head)
               .empty());
  add(CellCommand::copy, true);
  add(CellCommand::paste, operand);
  return commands;
}

const char* titleOf(CellCommand command) {
  static constexpr const char* kTitles[] = {
      trLater("Set to 0"),        trLater("Identity"),
      trLater("Scale by"),        trLater("Re-draw with seed"),
      trLater("Copy from head"),  trLater("Tie W_K to W_Q"),
      trLater("Unpin this cell"), trLater("Unpin all of this matrix"),
      trLater("Copy numbers"),    trLater("Paste numbers")};
  return tr(kTitles[static_cast<std::size_t>(command)]);
}

std::string* numberOf(CellCommand command, CellMenuMemory& menu) {
  switch (command) {
    case CellCommand::scale:
      return &menu.factor;
    case CellCommand::redraw:
      return &menu.seed;
    case CellCommand::copyHead:
      return &menu.head;
    default:
      return nullptr;
  }
}

void doCommand(const PanelContext& panel, CellMenuMemory& menu, const CellRef& cell,
               CellCommand command) {
  const AttentionConfig& c = panel.document.config;
  const auto fill = [&](Fill fill) {
    panel.commands.push(FillRegion{targetRegion(panel, menu, cell), std::move(fill)});
  };
  attempt(panel, [&] {
    switch (command) {
      case CellCommand::zero:
        return fill(FillZero{});
      case CellCommand::identity:
        return fill(FillIdentity{});
      case CellCommand::scale:
        return fill(FillScaled{parseNumber(menu.factor, tr("the factor"))});
      case CellCommand::redraw:
        return fill(FillDrawn{panel.document.weightSource.init, seedOf(menu.seed)});
      case CellCommand::copyHead: {
        const Index from = headOf(menu.head, headCount(cell.tensor, c));
        return panel.commands.push(CopyHead{cell.tensor, from, headWithCell(cell, c)});
      }
      case CellCommand::tieKeys:
        return panel.commands.push(TieKeysToQueries{});
      case CellCommand::unpin:
        return panel.commands.push(RemovePin{cellAccess(panel.trace, cell).target});
      case CellCommand::unpinMatrix:
        return panel.commands.push(RemoveAllPins{cellAccess(panel.trace, cell).target});
      case CellCommand::copy:
        return copyCells(panel, menu, cell);
      case CellCommand::paste:
        return pasteOverTarget(panel, menu, cell);
    }
  });
}

void copyCells(const PanelContext& panel, const CellMenuMemory& menu, const CellRef& cell) {
  attempt(panel, [&] {
    const bool transposed = shownMatrix(panel, cell).transposed;
    const Region region = targetRegion(panel, menu, cell);
    ImGui::SetClipboardText(cellsAsText(panel.trace, cell, region, transposed).c_str());
    const auto rows = transposed ? region.cols : region.rows;
    const auto cols = transposed ? region.rows : region.cols;
    const bool one = rows * cols == 1;
    panel.commands.say(fmt::format(
        fmt::runtime(one ? tr("copied {}: {} × {} number") : tr("copied {}: {} × {} numbers")),
        one ? toString(cell) : targetName(panel, menu, cell), rows, cols));
  });
}

void pasteCells(const PanelContext& panel, const CellRef& cell) {
  attempt(panel, [&] {
    const Tensor pasted = parseCellTable(clipboard());
    const CellAccess access = cellAccess(panel.trace, cell);
    if (access.editable() && pasted.size() == 1) {
      return panel.commands.push(setCell(access, pasted.data()[0]));
    }
    if (access.kind != CellKind::operand) {
      throw UserError(
          trFormat("{} is computed: numbers can be pasted into X, the weights and "
                   "the biases, and single cells of scores, weights and heads "
                   "pinned",
                   tensorName(cell)));
    }
    const MatrixRef shown = shownMatrix(panel, cell);
    const Region region = pastedRegion(cell, shown, pasted.dim(0), pasted.dim(1));
    panel.commands.push(FillRegion{region, FillValues{turned(pasted, shown.transposed)}});
  });
}

}  // namespace headscope::ui
