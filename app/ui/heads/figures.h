// Figures: what is measured of the heads of the pass shown, on a thread of its own; every card of
// the heads page reads the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/background.h"
#include "app/ui/panel.h"
#include "core/analysis/head_effect.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

struct Figures {
  HeadReport report;    // of the chosen item, or averaged over items
  HeadTree tree;        // of report.similarity, where it is defined
  HeadEffects effects;  // of the chosen item
};

struct FiguresMemory {
  BackgroundTask<Figures> task;
  std::uint64_t asked = 0;         // the pass, item and averaging they were asked for
  std::optional<Figures> figures;  // the last that were measured; may be of the pass before
  bool current = false;            // of the pass shown
  std::string error;               // why there are none
};

/// Asks for what is not there yet, takes what is. Null while nothing fitting was measured: those of
/// another number of heads or tokens are not given.
const Figures* figuresOf(const Panel& panel, FiguresMemory& memory);

/// Figures as panels take them that are drawn without as well.
struct MeasuredHeads {
  const Figures* figures = nullptr;  // null: none that fit
  const FiguresMemory& measuring;
};

/// "measuring …", or why there is nothing, in the middle of what is left of the card.
void noFigures(const Panel& panel, const FiguresMemory& memory);

}  // namespace headscope::ui
