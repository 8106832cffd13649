// Similarity card: how alike the heads attend, alike ones beside each other.
#pragma once

#include <optional>

#include "app/ui/heads/figures.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct SimilarityMemory {
  std::optional<Index> other;  // clicked: what the chosen head is compared with
};

/// Fills the current card. `figures` may be null: not measured yet. `alone`: it is as large as it
/// can be.
void similarityCard(const Panel& panel, SimilarityMemory& memory, const Figures* figures,
                    FiguresMemory& measuring, bool alone);

}  // namespace headscope::ui
