// Flow drawing: paints a flow layout: ribbons and heatmaps by the shaders, blocks and text between.
#pragma once

#include <optional>

#include "app/ui/flow/flow_layout.h"
#include "app/ui/panel.h"

namespace headscope::ui {

FlowMetrics flowMetrics(const Look& look);

/// `origin` is the layout's upper left corner on the display; `hovered` is pointed at.
void drawFlow(const Panel& panel, const FlowLayout& layout, ImVec2 origin,
              std::optional<FlowId> hovered);

}  // namespace headscope::ui
