// Arithmetic strip: the arithmetic of the cell under the mouse, or of the chosen cell, below the
// step view. A link at its end opens all terms.
#pragma once

#include "app/ui/frame_context.h"
#include "app/ui/parts/layout.h"
#include "core/words/arithmetic.h"

namespace headscope::ui {

struct PanelContext;

/// The last line, kept while nothing in it changes.
struct ArithmeticMemory {
  CellRef cell;
  std::uint64_t pass = 0;
  float room = 0.0F;
  Arithmetic arithmetic;
};

void arithmeticStrip(const PanelContext& panel, ArithmeticMemory& memory,
                     Explanations& explanations, const Rect& at);

}  // namespace headscope::ui
