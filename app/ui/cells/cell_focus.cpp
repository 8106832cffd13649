#include "app/ui/cells/cell_focus.h"

#include <algorithm>
#include <cmath>

#include "app/ui/frame_state.h"
#include "app/ui/parts/head_grid.h"
#include "app/ui/selection.h"
#include "app/ui/step_looks.h"
#include "app/ui/step_view/step_view_items.h"
#include "app/ui/view_state.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {
namespace {

/// A query head that reads a key/value head: the chosen head `now` if it does.
Index queryHeadReading(Index kvHead, const AttentionConfig& c, Index now) {
  return c.kvHead(now) == kvHead ? now : kvHead * c.headsPerGroup();
}

/// The part (q, k or v) that shows a tensor; `now` where several do or none does.
TensorId partShowing(TensorId tensor, const AttentionConfig& c, TensorId now) {
  if (const ProjectedPart* part = partWith(tensor)) return part->part;
  if (tensor == TensorId::x && c.crossAttention()) return TensorId::q;
  if (tensor == TensorId::memory && now == TensorId::q) return TensorId::k;
  return now;
}

/// The row or column of a cell that lies among the columns of one head after another; null where a
/// tensor has a head axis or no heads. The rows of a weight and the columns of a bias are its
/// outputs.
Index* headColumn(CellRef& cell) {
  const ProjectedPart* part = partWith(cell.tensor);
  if (info(cell.tensor).perHead) return nullptr;
  if (cell.tensor == TensorId::wG || (part != nullptr && cell.tensor == part->weight)) {
    return &cell.row;
  }
  const bool joined =
      cell.tensor == TensorId::concat || cell.tensor == TensorId::wO || cell.tensor == TensorId::bG;
  return part != nullptr || joined ? &cell.col : nullptr;
}

/// The query head that shows a cell; `now` where any does.
Index headShowing(CellRef cell, const AttentionConfig& c, Index now) {
  const Index* column = headColumn(cell);
  const Index head = column != nullptr ? *column / c.dK() : cell.head;
  if (head < 0) return now;
  const ProjectedPart* part = partWith(cell.tensor);
  return part == nullptr || part->part == TensorId::q ? head : queryHeadReading(head, c, now);
}

void chooseCell(Selection& selection, const AttentionConfig& c, const CellRef& cell) {
  const TensorInfo& t = info(cell.tensor);
  if (t.perItem) selection.item = cell.item;
  if (t.perHead) {
    selection.head = t.kvHeads ? queryHeadReading(cell.head, c, selection.head) : cell.head;
  }
  selection.cell = cell;
}

}  // namespace

std::vector<MatrixRef> focusableMatrices(const ViewState& view, const AttentionConfig& config) {
  std::vector<MatrixRef> matrices;
  const auto ofHeads = perHeadResult(view.selection.step, view.selection);
  if (view.selection.scope == StepViewScope::allHeads && ofHeads) {
    const Index heads = headCount(*ofHeads, config);
    for (Index head = 0; head < heads; ++head) {
      matrices.push_back(
          headMatrix(*ofHeads, config, view.selection.item, head, view.frame.gradientsThere));
    }
    return matrices;
  }
  for (const StepViewItem& item : stepViewItems(view.selection.step, config, view)) {
    if (!item.sign && !item.ref.maskOnly) matrices.push_back(item.ref);
  }
  return matrices;
}

std::optional<MatrixRef> focusedMatrix(const ViewState& view, const AttentionConfig& config) {
  if (!view.selection.cell) return std::nullopt;
  for (const MatrixRef& matrix : focusableMatrices(view, config)) {
    if (matrix.find(*view.selection.cell)) return matrix;
  }
  return std::nullopt;
}

std::optional<CellRef> explainedCell(const ViewState& view) {
  if (view.selection.cell) return view.selection.cell;
  return view.frame.hovered ? std::optional(view.frame.hovered->cell) : std::nullopt;
}

RowRef rowLookedAt(const ViewState& view, const AttentionConfig& config) {
  RowRef row{view.selection.item, view.selection.head, 0};
  const auto cell = explainedCell(view);
  if (cell && info(cell->tensor).rows == Axis::query) {
    row.query = std::clamp<Index>(cell->row, 0, config.seqLen - 1);
  }
  return row;
}

void moveChosenCell(ViewState& view, const AttentionConfig& config, Index down, Index right) {
  const auto matrix = focusedMatrix(view, config);
  if (!matrix) return;
  const MatrixCell at = *matrix->find(*view.selection.cell);
  view.selection.cell = matrix->cell(std::clamp<Index>(at.row + down, 0, matrix->shownRows() - 1),
                                     std::clamp<Index>(at.col + right, 0, matrix->shownCols() - 1));
}

void focusNextMatrix(ViewState& view, const AttentionConfig& config, int by) {
  const auto matrices = focusableMatrices(view, config);
  if (matrices.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(matrices.size());
  MatrixCell place;
  std::ptrdiff_t next = view.selection.scope == StepViewScope::allHeads ? 0 : count - 1;
  for (std::ptrdiff_t i = 0; view.selection.cell && i < count; ++i) {
    const auto at = matrices[static_cast<std::size_t>(i)].find(*view.selection.cell);
    if (!at) continue;
    place = *at;
    next = (i + by + count) % count;
    break;
  }
  const MatrixRef& matrix = matrices[static_cast<std::size_t>(next)];
  chooseCell(view.selection, config,
             matrix.cell(std::min(place.row, matrix.shownRows() - 1),
                         std::min(place.col, matrix.shownCols() - 1)));
}

void showGradients(ViewState& view, bool on) {
  view.selection.gradients = on;
  view.frame.hovered.reset();
  view.selection.trail.clear();
  if (on) view.frame.playing = false;
}

void showCell(ViewState& view, const AttentionConfig& config, const CellRef& cell) {
  chooseCell(view.selection, config, cell);
  if (focusedMatrix(view, config)) return;
  lookAt(view, config, cell);
  if (!focusedMatrix(view, config)) view.selection.scope = StepViewScope::thisHead;
}

// Tracing back.

std::optional<CellRef> mainOperand(const Explanation& e) {
  if (e.terms.empty()) return std::nullopt;
  if (const Term* own = e.own()) return own->cells.front();
  const auto largest = std::max_element(
      e.terms.begin(), e.terms.end(),
      [](const Term& a, const Term& b) { return std::abs(a.product) < std::abs(b.product); });
  // ALiBi's penalty has no cell; take that of the score next to it
  return (largest->cells.empty() ? e.terms.front() : *largest).cells.front();
}

StepId stepShowing(TensorId tensor) {
  if (isResult(tensor)) return producerOf(tensor).id();
  switch (tensor) {
    case TensorId::wO:
    case TensorId::bO:
      return StepId::output;
    case TensorId::wG:
    case TensorId::bG:
      return StepId::gate;
    case TensorId::pairBias:
      return StepId::mask;
    default:
      return StepId::project;
  }
}

CellRef inHead(const CellRef& cell, const AttentionConfig& c, Index from, Index to) {
  CellRef moved = cell;
  Index* column = headColumn(moved);
  if (column == nullptr) return cell;
  const ProjectedPart* part = partWith(cell.tensor);
  const bool ofKeys = part != nullptr && part->part != TensorId::q;
  const Index first = ofKeys ? c.kvHead(from) : from, last = ofKeys ? c.kvHead(to) : to;
  if (*column / c.dK() != first) return cell;
  *column += (last - first) * c.dK();
  return moved;
}

void lookAt(ViewState& view, const AttentionConfig& c, const CellRef& cell) {
  view.selection.gradients = cell.gradient;
  view.selection.cell = cell;
  if (!view.frame.gradientsThere)
    view.selection.cell->gradient = false;  // until the gradients exist
  view.selection.step = stepShowing(cell.tensor);
  view.selection.part = partShowing(cell.tensor, c, view.selection.part);
  view.selection.head = headShowing(cell, c, view.selection.head);
  if (cell.item >= 0) view.selection.item = cell.item;
  view.frame.playing = false;
}

std::vector<CellRef> trailTo(const Selection& selection, const AttentionConfig& c,
                             const CellRef& cell) {
  const auto fits = [&](const CellRef& crumb) { return exists(crumb, c); };
  const std::vector<CellRef>& trail = selection.trail;
  const bool leadsHere = !trail.empty() && trail.back() == cell;
  if (leadsHere && std::all_of(trail.begin(), trail.end(), fits)) return trail;
  return {cell};
}

void traceBack(ViewState& view, const AttentionConfig& c, const CellRef& from,
               const CellRef& operand) {
  view.selection.trail = trailTo(view.selection, c, from);
  view.selection.trail.push_back(operand);
  lookAt(view, c, operand);
}

void returnTo(ViewState& view, const AttentionConfig& c, std::size_t crumb) {
  if (crumb >= view.selection.trail.size()) return;
  view.selection.trail.resize(crumb + 1);
  lookAt(view, c, view.selection.trail.back());
}

void returnOne(ViewState& view, const AttentionConfig& c) {
  if (!view.selection.cell) return;
  const std::vector<CellRef> trail = trailTo(view.selection, c, *view.selection.cell);
  if (trail.size() > 1) returnTo(view, c, trail.size() - 2);
}

}  // namespace headscope::ui
