// Flow canvas: what painting the dimension flow needs in all its places.
#pragma once

#include <string_view>

#include "app/ui/flow/flow_ribbons.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct FlowCanvas {
  const Look& look;
  const FlowLayout& layout;
  FlowStress stress;
  ImVec2 origin;  // of the layout, on the display
  ImDrawList* list;

  const Theme& theme() const { return look.theme; }
  const Fonts& fonts() const { return look.fonts; }
  const AttentionConfig& config() const { return stress.config; }
  ImU32 headColor(Index head) const {
    return ui::headColor(look.theme, static_cast<std::size_t>(head));
  }

  /// On the display, on whole points.
  gl::Rect placed(const gl::Rect& rect) const;
  void fill(const gl::Rect& rect, ImU32 color, float alpha, float rounding = 0,
            ImDrawFlags corners = ImDrawFlags_RoundCornersAll) const;
  /// A line around the rectangle.
  void frame(const gl::Rect& rect, ImU32 color, float line, float rounding) const;
};

/// Blocks with their stripes, frames and letters.
void paintBlocks(const FlowCanvas& canvas);
/// Labels, notes and the heads' numbers.
void paintText(const FlowCanvas& canvas);

}  // namespace headscope::ui
