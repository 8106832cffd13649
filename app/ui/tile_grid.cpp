#include "app/ui/tile_grid.h"

#include <algorithm>

namespace headscope::ui {

ImVec2 matrixAspect(Index rows, Index cols) {
  const auto ratio = static_cast<float>(cols) / static_cast<float>(rows);
  return {std::max(1.0F, ratio), std::max(1.0F, 1.0F / ratio)};
}

ImVec2 TileGrid::place0(ImVec2 origin, Index tile) const {
  return {origin.x + static_cast<float>(tile % columns) * place.x,
          origin.y + static_cast<float>(tile / columns) * place.y};
}

ImVec2 TileGrid::picture(ImVec2 origin, Index tile) const {
  const ImVec2 corner = place0(origin, tile);
  return {corner.x + left, corner.y + title};
}

TileGrid layoutTiles(const TileSpace& space) {
  const float gap = space.gap * space.scale;
  TileGrid grid;
  grid.title = space.title;
  grid.place = space.room;
  float largest = -1.0F;
  for (Index columns = 1; columns <= space.count; ++columns) {
    const Index rows = (space.count + columns - 1) / columns;
    const ImVec2 place(space.room.x / static_cast<float>(columns),
                       space.room.y / static_cast<float>(rows));
    const float side =
        std::min((place.x - gap) / space.aspect.x, (place.y - gap - space.title) / space.aspect.y);
    if (side <= largest) continue;
    largest = side;
    grid.columns = columns;
    grid.rows = rows;
    grid.place = place;
  }
  grid.labelled = largest * space.aspect.y > space.labelledFrom * space.scale &&
                  grid.place.x > 150.0F * space.scale;
  if (grid.labelled) {
    grid.left = space.left;
    largest = std::min((grid.place.x - gap - space.left - space.right) / space.aspect.x,
                       (grid.place.y - gap - space.title - space.below) / space.aspect.y);
  }
  grid.size = {std::max(largest * space.aspect.x, 2.0F), std::max(largest * space.aspect.y, 2.0F)};
  return grid;
}

}  // namespace headscope::ui
