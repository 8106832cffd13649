// Head tile layout: how large a group's pictures are in the room there is, with which labels, and
// how many lines their titles take.
#pragma once

#include "app/ui/heads/head_tile_group.h"

namespace headscope::ui {

/// Places the group's tiles, whose titles are known, in `room` at `origin`.
void layOutHeadTiles(HeadTileGroup& group, const Look& look, const TokensShown& shown,
                     ImVec2 origin, ImVec2 room);

/// What all rows of a group take of it.
float usedHeight(const HeadTileGroup& group);

/// The width of a picture over its height, as far as it may differ from a square.
ImVec2 pictureAspect(const TokensShown& shown, bool lines);

}  // namespace headscope::ui
