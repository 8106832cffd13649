// Head lines: a head as lines from a column of queries to a column of keys, thickness by weight.
#pragma once

#include <span>

#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/pooled.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// How many tokens a line may stand for at one end, so that `heads` pictures of this height stay
/// readable and quick to draw.
Index lineEnds(float height, Index heads, float scale);

/// Shares (Pool::share) between two corners of the screen.
struct LinesPicture {
  const CellBlocks& blocks;
  std::span<const float> shares;
  TokenRange queries, keys;  // what of it is shown
  float strongest = 1.0F;    // the share of the thickest line
  ImU32 color = 0;
  Index litQuery = -1;  // only its lines stand out
};
void drawHeadLines(const Panel& panel, const LinesPicture& picture, ImVec2 a, ImVec2 b);

}  // namespace headscope::ui
