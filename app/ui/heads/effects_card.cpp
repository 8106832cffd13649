#include "app/ui/heads/effects_card.h"

#include "app/ui/widgets.h"

namespace headscope::ui {

void effectsCard(const Panel& panel, EffectsMemory&, const Figures* figures,
                 FiguresMemory& measuring, Magnitudes&) {
  heading(panel.look, "effectsCard");
  if (figures == nullptr) noFigures(panel, measuring);
}

}  // namespace headscope::ui
