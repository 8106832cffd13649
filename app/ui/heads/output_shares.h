// Output shares: each head's rows of the output matrix, and how much of every token's output is
// its.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/heads/effect_numbers.h"
#include "app/ui/heads/figures.h"
#include "app/ui/matrix_view.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct OutputSharesMemory {
  struct {
    std::uint64_t revision = 0;  // of W_O
    std::vector<double> values;  // one per head
  } norms;
  struct {
    std::uint64_t version = 0;
    TokenBars tokens{1, 1};
    ShareBars bars;
  } shares;
};

/// Fills the rest of the card. `figures` may be null: not measured yet.
void outputSharesTab(const Panel& panel, OutputSharesMemory& memory, const Figures* figures,
                     FiguresMemory& measuring, Magnitudes& magnitudes);

/// The row blocks of W^O, one under another, each with its norm. A click chooses the head.
void outputBlocks(const Panel& panel, const std::vector<double>& norms, Magnitudes& magnitudes,
                  ImVec2 size);

/// A stack per token, heads against the output below 0. A click chooses the token.
struct SharePicture {
  const TokenBars& tokens;
  const ShareBars& bars;
};
void shareBars(const Panel& panel, const SharePicture& picture, ImVec2 size);
/// How many stacks there is room and time for.
Index mostShareBars(const Look& look, float width, Index heads);

}  // namespace headscope::ui
