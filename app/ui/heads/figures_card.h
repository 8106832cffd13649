// Figures card: the metrics of every head, as a scatter of two of them or as a table.
#pragma once

#include "app/ui/heads/figures.h"
#include "app/ui/heads/scatter.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct FiguresCardMemory {
  ScatterMemory scatter;
};

/// Fills the current card. `figures` may be null: not measured yet. `alone`: it is as large as it
/// can be.
void figuresCard(const Panel& panel, FiguresCardMemory& memory, const Figures* figures,
                 FiguresMemory& measuring, bool alone);

}  // namespace headscope::ui
