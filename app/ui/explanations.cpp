#include "app/ui/explanations.h"

#include <utility>

namespace headscope::ui {

const Explanation& Explanations::of(const Trace& trace, const CellRef& cell) {
  const auto holds = [&](const std::optional<Entry>& entry) {
    return entry && entry->pass == trace.pass() && entry->explanation.cell == cell;
  };
  if (!holds(entries_[0])) {
    std::swap(entries_[0], entries_[1]);
    if (!holds(entries_[0])) entries_[0] = Entry{trace.pass(), explainCell(trace, cell)};
  }
  return entries_[0]->explanation;
}

}  // namespace headscope::ui
