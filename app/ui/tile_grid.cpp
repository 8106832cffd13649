#include "app/ui/tile_grid.h"

#include <algorithm>

namespace headscope::ui {
namespace {

/// The columns that make pictures largest, with labels as asked for. A side: of the aspect's 1.
struct Fit {
  TileGrid grid;
  float side = 0.0F;
};

float gapOf(const TileSpace& space) { return space.gap * space.scale; }

/// What a tile's place has for its picture alone.
ImVec2 roomInPlace(const TileSpace& space, ImVec2 place, TileLabels labels, float below) {
  const bool own = labels == TileLabels::each;
  return {place.x - gapOf(space) - (own ? space.left + space.right : 0.0F),
          place.y - gapOf(space) - space.title - (own ? below : 0.0F)};
}

Fit fitColumns(const TileSpace& space, TileLabels labels, Index columns, float below) {
  const bool edges = labels == TileLabels::edges;
  Fit fit;
  fit.grid.columns = columns;
  fit.grid.rows = (space.count + columns - 1) / columns;
  fit.grid.labels = labels;
  fit.grid.title = space.title;
  if (labels == TileLabels::each) fit.grid.left = space.left;
  if (edges) fit.grid.edge = space.left;
  if (labels != TileLabels::none) fit.grid.below = below;
  const ImVec2 room(space.room.x - (edges ? space.left + space.right : 0.0F),
                    space.room.y - (edges ? below : 0.0F));
  fit.grid.place = {room.x / static_cast<float>(columns),
                    room.y / static_cast<float>(fit.grid.rows)};
  const ImVec2 inner = roomInPlace(space, fit.grid.place, labels, below);
  fit.side = std::min(inner.x / space.aspect.x, inner.y / space.aspect.y);
  const ImVec2 size(std::max(2.0F, fit.side * space.aspect.x),
                    std::max(2.0F, fit.side * space.aspect.y));
  fit.grid.size = {std::clamp(inner.x, size.x, size.x * space.stretch),
                   std::clamp(inner.y, size.y, size.y * space.stretch)};
  return fit;
}

Fit bestFit(const TileSpace& space, TileLabels labels) {
  Fit best;  // of more tiles than there is room for: the first alone
  best.grid.title = space.title;
  best.grid.place = space.room;
  best.grid.size = {2.0F, 2.0F};
  for (Index columns = 1; columns <= space.count; ++columns) {
    Fit fit = fitColumns(space, labels, columns, space.below);
    const Fit flat = fitColumns(space, labels, columns, space.belowFlat);
    if (flat.grid.size.x >= space.flatFrom) fit = flat;
    if (fit.side > best.side) best = fit;
  }
  return best;
}

}  // namespace

ImVec2 matrixAspect(Index rows, Index cols) {
  const auto ratio = static_cast<float>(cols) / static_cast<float>(rows);
  return {std::max(1.0F, ratio), std::max(1.0F, 1.0F / ratio)};
}

bool TileGrid::labelsLeft(Index tile) const {
  return labels == TileLabels::each || (labels == TileLabels::edges && tile % columns == 0);
}

bool TileGrid::labelsRight(Index tile, Index count) const {
  const bool last = tile % columns == columns - 1 || tile == count - 1;
  return labels == TileLabels::each || (labels == TileLabels::edges && last);
}

bool TileGrid::labelsBelow(Index tile, Index count) const {
  return labels == TileLabels::each || (labels == TileLabels::edges && tile + columns >= count);
}

ImVec2 TileGrid::place0(ImVec2 origin, Index tile) const {
  return {origin.x + edge + static_cast<float>(tile % columns) * place.x,
          origin.y + static_cast<float>(tile / columns) * place.y};
}

ImVec2 TileGrid::picture(ImVec2 origin, Index tile) const {
  const ImVec2 corner = place0(origin, tile);
  return {corner.x + left, corner.y + title};
}

TileGrid layoutTiles(const TileSpace& space) {
  const auto highEnough = [&](const Fit& fit, float points) {
    return fit.side * space.aspect.y >= points * space.scale;
  };
  const Fit each = bestFit(space, TileLabels::each);
  if (highEnough(each, std::max(space.labelledFrom, space.edgesBelow))) return each.grid;
  if (space.edgesBelow > 0.0F) {
    const Fit edges = bestFit(space, TileLabels::edges);
    if (highEnough(edges, space.labelledFrom)) return edges.grid;
  }
  return bestFit(space, TileLabels::none).grid;
}

}  // namespace headscope::ui
