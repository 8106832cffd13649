#include "app/ui/heads/similarity_card.h"

#include "app/ui/widgets.h"

namespace headscope::ui {

void similarityCard(const Panel& panel, SimilarityMemory&, const Figures* figures,
                    FiguresMemory& measuring, Magnitudes&) {
  heading(panel.look, "similarityCard");
  if (figures == nullptr) noFigures(panel, measuring);
}

}  // namespace headscope::ui
