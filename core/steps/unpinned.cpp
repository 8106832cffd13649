#include "core/steps/unpinned.h"

#include <algorithm>

#include "core/dropout.h"

namespace headscope {
namespace {

/// A softmax's terms are exponentials: the cell's own over their sum, then the dropout.
double unpinnedWeight(const Trace& trace, const Explanation& e) {
  const auto own = std::find_if(e.terms.begin(), e.terms.end(), [&](const Term& term) {
    return term.cells.front().row == e.cell.row && term.cells.front().col == e.cell.col;
  });
  if (own == e.terms.end()) return 0.0;
  const double weight = own->product / e.sum;
  if (!trace.config().dropout.on()) return weight;
  const DroppedCells dropped(trace.config());
  const CellRef& c = e.cell;
  return dropped(c.item, c.head, c.row, c.col) ? 0.0 : weight * dropped.factor();
}

}  // namespace

double unpinnedValue(const Trace& trace, const CellRef& cell) {
  if (!trace.document().pins.at(cell)) return trace.value(cell);
  const Explanation e = explainCell(trace, cell);
  return cell.tensor == TensorId::weights ? unpinnedWeight(trace, e) : e.sum;
}

}  // namespace headscope
