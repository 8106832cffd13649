#include "app/ui/heads/all_heads.h"

#include "app/ui/widgets.h"

namespace headscope::ui {

void allHeadsCard(const Panel& panel, AllHeadsMemory&, const Figures* figures,
                  FiguresMemory& measuring, Magnitudes&) {
  heading(panel.look, "allHeadsCard");
  if (figures == nullptr) noFigures(panel, measuring);
}

}  // namespace headscope::ui
