// Minimap: the chosen head whole and small, the part that is shown framed; dragging it pans.
#pragma once

#include "app/ui/heads/head_tile_group.h"

namespace headscope::ui {

/// Room it takes at the right of the tiles; 0 where a short input is shown whole.
float minimapWidth(const Panel& panel);

/// Tokens to a cell drawn.
struct CellSteps {
  Index queries = 1, keys = 1;
};
void minimap(const Panel& panel, const HeadPictures::Drawn* drawn, const TokensShown& shown,
             const ColorScale& scale, const CellSteps& steps, ImVec2 at);

}  // namespace headscope::ui
