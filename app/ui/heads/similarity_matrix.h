// Similarity matrix: heads against heads as a heatmap, numbered along both sides, its clusters
// framed and, where there is room, the tree that they are cut from.
#pragma once

#include <optional>
#include <vector>

#include "app/ui/heads/figures.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Heads along both sides: alike ones together, or by number.
std::vector<Index> similarityOrder(const Figures& figures, bool ordered);

/// From the least similar pair, rounded down to a tenth, to 1.
ColorScale similarityScale(const Panel& panel, const HeadSimilarity& similarity);

struct HeadPair {
  Index row = 0, col = 0;  // heads
};
struct SimilarityShown {
  HeadPair chosen;
  std::optional<HeadPair> pointed, clicked;
};

/// At the cursor, in this size.
SimilarityShown similarityMatrix(const Panel& panel, const Figures& figures, HeadPair chosen,
                                 ImVec2 size);

}  // namespace headscope::ui
