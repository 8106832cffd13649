// Flow drawing: paints a flow layout: ribbons and heatmaps by the shaders, blocks and text between.
#pragma once

#include <optional>

#include "app/ui/flow/flow_layout.h"
#include "app/ui/panel.h"

namespace headscope::ui {

FlowMetrics flowMetrics(const FrameContext& look);

/// `origin` is the layout's upper left corner on the display; `hovered` is pointed at.
void drawFlow(const PanelContext& panel, const FlowLayout& layout, ImVec2 origin,
              std::optional<FlowId> hovered);

// How strongly each part is drawn, and the ribbons' colours.

/// What a frame stresses: the current step, the chosen head's path, what is pointed at.
struct FlowStress {
  const Theme& theme;
  const AttentionConfig& config;
  const FlowLayout& layout;
  StepId step;
  Index head;
  std::optional<FlowId> hovered;

  bool chosen(FlowId id) const;
  /// A head that is off gives nothing from its output on.
  bool off(FlowId id) const;
  /// Opacity of a block.
  float block(const FlowBlock& block) const;
  /// Opacity of a ribbon; `overlapping` of its kind lie above each other.
  float ribbon(const FlowRibbon& ribbon, std::size_t overlapping) const;
};

/// The batch in drawing order, the chosen head's path last.
gl::RibbonBatch flowRibbons(const FlowStress& stress, ImVec2 origin);

}  // namespace headscope::ui
