#include "app/ui/heads/figures_card.h"

#include "app/ui/widgets.h"

namespace headscope::ui {

void figuresCard(const Panel& panel, FiguresCardMemory&, const Figures* figures,
                 FiguresMemory& measuring, Magnitudes&) {
  heading(panel.look, "figuresCard");
  if (figures == nullptr) noFigures(panel, measuring);
}

}  // namespace headscope::ui
