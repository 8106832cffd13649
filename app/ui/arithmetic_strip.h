// Arithmetic strip: the arithmetic of the cell under the mouse, or of the one clicked, below the
// stage.
#pragma once

#include "app/ui/arithmetic.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// The last cell explained, kept while nothing of it changes.
struct ArithmeticMemory {
  CellRef cell;
  std::uint64_t pass = 0;
  std::size_t terms = 0;
  Arithmetic arithmetic;
};

void arithmeticStrip(const Panel& panel, ArithmeticMemory& memory, ImVec2 at, ImVec2 size);

}  // namespace headscope::ui
