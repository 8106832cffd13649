// Term table: all terms of a cell's arithmetic, in any order, as many drawn as are seen; their
// operands light up on the stage and can be followed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/ui/panel.h"
#include "core/steps/step.h"

namespace headscope::ui {

/// The order shown last, kept while neither terms nor order change.
struct TermTableMemory {
  CellRef cell;
  std::uint64_t pass = 0;
  std::optional<TermOrder> ordered;
  std::vector<std::uint32_t> order;
  std::vector<double> sums;
  double largest = 0.0;
};

/// At the cursor, `height` high. Gives the operand clicked.
std::optional<CellRef> termTable(const Panel& panel, TermTableMemory& memory,
                                 const Explanation& explanation, float height);

}  // namespace headscope::ui
