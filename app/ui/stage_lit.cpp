#include "app/ui/stage_lit.h"

#include <algorithm>

#include "core/words/arithmetic.h"

namespace headscope::ui {
namespace {

LitBlock joined(const LitBlock& a, const LitBlock& b) {
  const Index row = std::min(a.row, b.row);
  const Index col = std::min(a.col, b.col);
  return {row, std::max(a.row + a.rows, b.row + b.rows) - row, col,
          std::max(a.col + a.cols, b.col + b.cols) - col};
}

}  // namespace

std::optional<CellRef> resultLookedAt(const std::vector<StageItem>& items, StepId step,
                                      const ViewState& view) {
  const auto looked = view.hovered ? std::optional(view.hovered->cell) : view.selected;
  if (!looked || !isResult(looked->tensor) || stepGiving(looked->tensor).id() != step) {
    return std::nullopt;
  }
  const bool shown = std::any_of(items.begin(), items.end(), [&](const StageItem& item) {
    return item.result && litCell(item, *looked);
  });
  return shown ? looked : std::nullopt;
}

std::optional<LitBlock> litCell(const StageItem& item, const CellRef& cell) {
  Index row = 0;
  Index col = 0;
  if (item.sign || !item.ref.find(cell, &row, &col)) return std::nullopt;
  return LitBlock{row, 1, col, 1};
}

std::optional<LitBlock> litBlock(const StageItem& item, const Explanation& e) {
  if (item.ref.maskOnly) {  // the mask's cell is at the place of the score's
    MatrixRef score = item.ref;
    score.maskOnly = false;
    Index row = 0;
    Index col = 0;
    if (!score.find(e.cell, &row, &col)) return std::nullopt;
    return LitBlock{row, 1, col, 1};
  }
  if (const auto own = litCell(item, e.cell)) return own;
  std::optional<LitBlock> block;
  for (const Term& term : e.terms) {
    for (const CellRef& cell : term.cells) {
      const auto lit = litCell(item, cell);
      if (lit) block = block ? joined(*block, *lit) : *lit;
    }
  }
  return block;
}

}  // namespace headscope::ui
