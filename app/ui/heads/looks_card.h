// Looks card: where each token looks, as lines; the values that are mixed; q·k as lengths and
// angle.
#pragma once

#include <functional>
#include <optional>

#include "app/ui/heads/figures.h"
#include "app/ui/heads/looks_lengths.h"
#include "app/ui/heads/looks_lines.h"
#include "app/ui/heads/looks_values.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct LooksMemory {
  LinesMemory lines;
  ValuesMemory values;
  LengthsMemory lengths;
  std::optional<CellRef> selected;  // whose tokens were chosen here last

  void setWake(const std::function<void()>& wake);
  /// Waits; true where something is there that a frame takes.
  bool finish();
};

/// Fills the current card. `figures` may be null: not measured yet.
void looksCard(const Panel& panel, LooksMemory& memory, const Figures* figures,
               FiguresMemory& measuring, Magnitudes& magnitudes);

}  // namespace headscope::ui
