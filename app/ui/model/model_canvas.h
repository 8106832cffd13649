// Model canvas: where the tiles of all heads stand, and how wheel and drag move over them. Pure: no
// drawing.
#pragma once

#include <algorithm>

#include "app/ui/parts/layout.h"
#include "core/index.h"

namespace headscope::ui {

/// The whole model in the room at zoom 1, moved so that `seen` (0 … 1 both ways) is in its middle.
struct ModelCanvas {
  static constexpr float kMostZoom = 200.0F;

  Rect room;
  Index rows = 1, columns = 1;
  float zoom = 1.0F;
  ImVec2 seen{0.5F, 0.5F};

  ImVec2 size() const { return {room.width() * zoom, room.height() * zoom}; }
  ImVec2 origin() const {
    const ImVec2 all = size();
    const ImVec2 middle = room.centre();
    return {middle.x - seen.x * all.x, middle.y - seen.y * all.y};
  }
  ImVec2 place() const {
    return {size().x / static_cast<float>(columns), size().y / static_cast<float>(rows)};
  }
  /// The square of a head in its place, with room for a title above, and for names at its left and
  /// below. Where it is so low that little would be seen, it is up to thrice as wide as high.
  Rect tile(Index row, Index column, float gap, float title, float names) const {
    const ImVec2 all = place(), from = origin();
    const ImVec2 left(all.x - gap - names, all.y - gap - title - names);
    constexpr float kLow = 16.0F, kWidest = 3.0F;
    const float side = std::max(2.0F, std::min(left.x, left.y));
    const float width = std::max(side, std::min({left.x, kWidest * side, kLow}));
    const ImVec2 corner(from.x + static_cast<float>(column) * all.x + names + gap * 0.5F,
                        from.y + static_cast<float>(row) * all.y + title + gap * 0.5F);
    return Rect::at({corner.x + (left.x - width) * 0.5F, corner.y + (left.y - side) * 0.5F},
                    {width, side});
  }
  /// At least what fills the room stays in sight.
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
    const float shrunk = before / zoom;  // what is at the point stays there
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
