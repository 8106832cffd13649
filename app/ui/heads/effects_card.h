// Effects card: what goes when a head is taken out, what W^O adds, what more heads bring.
#pragma once

#include "app/ui/heads/figures.h"
#include "app/ui/heads/more_heads.h"
#include "app/ui/heads/output_shares.h"
#include "app/ui/heads/switch_off.h"
#include "app/ui/heads/why_several.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct EffectsMemory {
  SwitchOffMemory off;
  OutputSharesMemory outputMatrix;
  MoreHeadsMemory moreHeads;
  WhySeveralMemory whySeveral;
};

/// Fills the current card. `figures` may be null: not measured yet.
void effectsCard(const Panel& panel, EffectsMemory& memory, const Figures* figures,
                 FiguresMemory& measuring, Magnitudes& magnitudes);

}  // namespace headscope::ui
