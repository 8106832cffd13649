// Model canvas: the positions of the tiles of all heads, and zooming and moving over them. It draws
// nothing.
#pragma once

#include <algorithm>

#include "app/ui/parts/layout.h"
#include "core/base/index.h"

namespace headscope::ui {

/// Rows and columns of tiles. Layers are stacked vertically, in several blocks side by side where
/// that makes the tiles larger: with two blocks of six layers and four heads, tile (0, 4) is the
/// first head of layer 7.
struct TileBlocks {
  Index rows = 1, columns = 1;
  Index blocks = 1;

  Index perBlock() const { return columns / blocks; }  // the number of columns per block

  /// The grid of layers × heads whose tiles have the longest side in a room. Another block must
  /// lengthen the side by a twentieth. `margin`: the room between two blocks.
  static TileBlocks ofLayers(ImVec2 room, Index layers, Index heads, float margin) {
    constexpr float kWorthIt = 1.05F;
    constexpr Index kMostHoles = 4;  // one of so many layers may be missing in the last block
    TileBlocks best{layers, heads, 1};
    float longest = best.side(room, margin);
    for (Index blocks = 2; blocks <= layers; ++blocks) {
      const TileBlocks grid{(layers + blocks - 1) / blocks, heads * blocks, blocks};
      const Index holes = grid.rows * blocks - layers;
      if (holes >= grid.rows || kMostHoles * holes > layers) continue;
      const float side = grid.side(room, margin);
      if (side < kWorthIt * longest) continue;
      best = grid;
      longest = side;
    }
    return best;
  }
  /// The grid of `count` tiles, filled row by row, whose tiles have the longest side.
  static TileBlocks ofRow(ImVec2 room, Index count) {
    TileBlocks best{count, 1, 1};
    for (Index columns = 2; columns <= count; ++columns) {
      const TileBlocks grid{(count + columns - 1) / columns, columns, 1};
      if (grid.side(room, 0.0F) > best.side(room, 0.0F)) best = grid;
    }
    return best;
  }
  /// The side of a tile's square place.
  float side(ImVec2 room, float margin) const {
    const float across = room.x - margin * static_cast<float>(blocks - 1);
    return std::min(across / static_cast<float>(columns), room.y / static_cast<float>(rows));
  }
  bool operator==(const TileBlocks&) const = default;
};

/// The view of the grid: at zoom 1 it fills the room; `seen` (0 … 1 both ways) is the point at the
/// room's centre.
struct ModelCanvas {
  static constexpr float kMostZoom = 200.0F;

  Rect room;
  TileBlocks grid;
  float margin = 0.0F;  // between two blocks, at zoom 1
  float zoom = 1.0F;
  ImVec2 seen{0.5F, 0.5F};

  ImVec2 size() const { return {room.width() * zoom, room.height() * zoom}; }
  ImVec2 origin() const {
    const ImVec2 all = size();
    const ImVec2 middle = room.centre();
    return {middle.x - seen.x * all.x, middle.y - seen.y * all.y};
  }
  ImVec2 place() const {
    const float margins = margin * zoom * static_cast<float>(grid.blocks - 1);
    return {(size().x - margins) / static_cast<float>(grid.columns),
            size().y / static_cast<float>(grid.rows)};
  }
  /// The whole place of a tile.
  Rect placeAt(Index row, Index column) const {
    const ImVec2 all = place(), from = origin();
    const float margins = margin * zoom * static_cast<float>(column / grid.perBlock());
    return Rect::at({from.x + static_cast<float>(column) * all.x + margins,
                     from.y + static_cast<float>(row) * all.y},
                    all);
  }
  /// The tile within its place, without the gap, a title above, and names to the left and below:
  /// the largest square, or, with `fills`, the whole remaining rectangle.
  Rect tile(Index row, Index column, float gap, float title, float names, bool fills) const {
    Rect left = placeAt(row, column).inset(gap * 0.5F);
    left.a.x += names;
    left.a.y += title;
    left.b.y -= names;
    constexpr float kLeast = 2.0F;
    const ImVec2 room(std::max(kLeast, left.width()), std::max(kLeast, left.height()));
    if (fills) return Rect::at(left.a, room);
    const float side = std::min(room.x, room.y);
    return Rect::at({left.a.x + (room.x - side) * 0.5F, left.a.y + (room.y - side) * 0.5F},
                    {side, side});
  }
  /// Limits zoom and position so that the canvas always fills the room.
  void keepInSight() {
    zoom = std::clamp(zoom, 1.0F, kMostZoom);
    const float half = 0.5F / zoom;
    seen.x = std::clamp(seen.x, half, 1.0F - half);
    seen.y = std::clamp(seen.y, half, 1.0F - half);
  }
  void zoomAt(ImVec2 point, float factor) {
    const ImVec2 all = size(), from = origin();
    const ImVec2 share((point.x - from.x) / all.x, (point.y - from.y) / all.y);
    const float before = zoom;
    zoom = std::clamp(zoom * factor, 1.0F, kMostZoom);
    const float shrunk = before / zoom;  // the content at the point keeps its position
    seen.x = share.x + (seen.x - share.x) * shrunk;
    seen.y = share.y + (seen.y - share.y) * shrunk;
    keepInSight();
  }
  void moveBy(ImVec2 points) {
    const ImVec2 all = size();
    seen.x -= points.x / all.x;
    seen.y -= points.y / all.y;
    keepInSight();
  }
};

}  // namespace headscope::ui
