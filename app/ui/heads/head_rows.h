// Head rows: in the inspector, what the chosen head looks like and measures, with the rule that
// gave it its name.
#pragma once

#include "app/ui/heads/figures.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Whole: the label, its rule and six figures, a line each. Brief: the label with its rule.
enum class HeadRowsLength { none, brief, whole };

float headRowsHeight(const Look& look, HeadRowsLength length);

/// At the cursor. `figures` may be null: not measured yet.
void headRows(const Panel& panel, Index head, const Figures* figures,
              const FiguresMemory& measuring, HeadRowsLength length);

}  // namespace headscope::ui
