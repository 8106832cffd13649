#include "app/ui/heads/looks_card.h"

#include "app/ui/widgets.h"

namespace headscope::ui {

void looksCard(const Panel& panel, LooksMemory&, const Figures* figures, FiguresMemory& measuring,
               Magnitudes&) {
  heading(panel.look, "looksCard");
  if (figures == nullptr) noFigures(panel, measuring);
}

}  // namespace headscope::ui
