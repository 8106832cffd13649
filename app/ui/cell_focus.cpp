#include "app/ui/cell_focus.h"

#include <algorithm>
#include <cstddef>

#include "app/ui/stage_items.h"
#include "app/ui/trace_back.h"

namespace headscope::ui {
namespace {

struct Place {
  Index row = 0, col = 0;
};

std::optional<Place> placeIn(const MatrixRef& matrix, const CellRef& cell) {
  Place place;
  if (!matrix.find(cell, &place.row, &place.col)) return std::nullopt;
  return place;
}

/// The query head that reads a key/value head: the chosen one if it does.
Index queryHead(const ViewState& view, const AttentionConfig& c, Index kvHead) {
  return c.kvHead(view.head) == kvHead ? view.head : kvHead * c.headsPerGroup();
}

void choose(ViewState& view, const AttentionConfig& c, const CellRef& cell) {
  const TensorInfo& t = info(cell.tensor);
  if (t.perItem) view.item = cell.item;
  if (t.perHead) view.head = t.kvHeads ? queryHead(view, c, cell.head) : cell.head;
  view.selected = cell;
}

}  // namespace

std::vector<MatrixRef> focusableMatrices(const ViewState& view, const AttentionConfig& config) {
  std::vector<MatrixRef> matrices;
  const auto ofHeads = perHeadResult(view.step, view);
  if (view.scope == StageScope::allHeads && ofHeads) {
    const Index heads = headCount(*ofHeads, config);
    for (Index head = 0; head < heads; ++head) {
      MatrixRef ref = wholeMatrix(*ofHeads, config, view.item, 0);
      ref.head = head;
      matrices.push_back(ref);
    }
    return matrices;
  }
  for (const StageItem& item : stageItems(view.step, config, view)) {
    if (!item.sign && !item.ref.maskOnly) matrices.push_back(item.ref);
  }
  return matrices;
}

std::optional<MatrixRef> focusedMatrix(const ViewState& view, const AttentionConfig& config) {
  if (!view.selected) return std::nullopt;
  for (const MatrixRef& matrix : focusableMatrices(view, config)) {
    if (placeIn(matrix, *view.selected)) return matrix;
  }
  return std::nullopt;
}

void moveChosenCell(ViewState& view, const AttentionConfig& config, Index down, Index right) {
  const auto matrix = focusedMatrix(view, config);
  if (!matrix) return;
  const Place at = *placeIn(*matrix, *view.selected);
  view.selected = matrix->cell(std::clamp<Index>(at.row + down, 0, matrix->shownRows() - 1),
                               std::clamp<Index>(at.col + right, 0, matrix->shownCols() - 1));
}

void focusNextMatrix(ViewState& view, const AttentionConfig& config, int by) {
  const auto matrices = focusableMatrices(view, config);
  if (matrices.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(matrices.size());
  Place place;
  std::ptrdiff_t next = view.scope == StageScope::allHeads ? 0 : count - 1;
  for (std::ptrdiff_t i = 0; view.selected && i < count; ++i) {
    const auto at = placeIn(matrices[static_cast<std::size_t>(i)], *view.selected);
    if (!at) continue;
    place = *at;
    next = (i + by + count) % count;
    break;
  }
  const MatrixRef& matrix = matrices[static_cast<std::size_t>(next)];
  choose(view, config,
         matrix.cell(std::min(place.row, matrix.shownRows() - 1),
                     std::min(place.col, matrix.shownCols() - 1)));
}

void showCell(ViewState& view, const AttentionConfig& config, const CellRef& cell) {
  choose(view, config, cell);
  if (focusedMatrix(view, config)) return;
  lookAt(view, config, cell);
  if (!focusedMatrix(view, config)) view.scope = StageScope::thisHead;
}

}  // namespace headscope::ui
