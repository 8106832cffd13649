// Figures: what is measured of the heads of the pass shown, beside the frames; every card of the
// heads page reads the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/ui/panel.h"
#include "core/analysis/head_effect.h"
#include "core/analysis/head_report.h"

namespace headscope::ui {

struct Figures {
  HeadReport report;           // of the chosen item, or averaged over items
  HeadTree tree;               // of report.similarity, where it is defined
  HeadEffects effects;         // of the chosen item
  double largestEffect = 0.0;  // of them all, in % of the output's norm
  std::uint64_t revision = 0;  // differs between figures that differ
};

/// The figures as panels take them that are drawn without as well.
struct MeasuredHeads {
  const Figures* figures = nullptr;  // the last that fit the pass shown; null: there are none yet
  bool current = false;              // they are of the pass shown, not of the one before
  std::string_view problem;          // why there will be none of it
};

/// Asks for what is not there yet. Figures of another number of heads or tokens are not given.
MeasuredHeads measuredHeads(const Panel& panel);

/// "measuring …", or why there is nothing, in the middle of what is left of the card.
void noFigures(const Panel& panel, const MeasuredHeads& heads);
/// The same in a line, while the figures are of the pass before; else nothing.
void measuringNote(const Panel& panel, const MeasuredHeads& heads);
/// The same in the middle of `room`, for what is computed under another name: `doing` while there
/// is no `problem`.
void drawWaiting(const Look& look, const Rect& room, std::string_view problem,
                 std::string_view doing);

}  // namespace headscope::ui
