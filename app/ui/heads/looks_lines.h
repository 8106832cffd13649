// Looks lines: a line per weight from each query to the keys it looks at, thickness by weight.
#pragma once

#include <functional>
#include <optional>

#include "app/ui/heads/chosen_lines.h"
#include "app/ui/heads/looks_focus.h"
#include "app/ui/heads/reckoned.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// At most, however high the card is.
inline constexpr Index kMostLines = 2000;

struct LinesMemory {
  Reckoned<LineChoice> choice;
  float scrolled = 0.0F;  // 0 … 1, where not all tokens fit
  LooksAt scrolledTo;     // the tokens that were brought into view last
};

/// Fills what is left of the card.
void looksLines(const Panel& panel, LinesMemory& memory);

}  // namespace headscope::ui
