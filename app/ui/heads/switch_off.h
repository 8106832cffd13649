// Switch off: heads off, on and scaled, what each token's output loses, and the check against a
// real run.
#pragma once

#include <cstdint>

#include "app/ui/heads/effect_check.h"
#include "app/ui/heads/figures.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct SwitchOffMemory {
  NumberDraft gain;
  Index gainHead = -1;  // whose gain was typed
  EffectCheckMemory check;

  struct {
    std::uint64_t version = 0;
    double largest = 0.0;  // of all effects, in %
  } seen;
};

/// Fills the rest of the card. `figures` may be null: not measured yet.
void switchOffTab(const Panel& panel, SwitchOffMemory& memory, const Figures* figures,
                  FiguresMemory& measuring);

/// Differs between figures that differ.
inline std::uint64_t versionOf(const FiguresMemory& measuring) {
  return measuring.asked * 2U + (measuring.current ? 1U : 0U);
}

/// "bars | heatmap", on one line.
void effectDrawing(const Panel& panel);

}  // namespace headscope::ui
