// Flow drawing: paints a flow layout: ribbons and heatmaps by the shaders, blocks and text between.
#pragma once

#include <optional>

#include "app/gl/scene.h"
#include "app/ui/flow/flow_layout.h"
#include "app/ui/frame_context.h"
#include "core/attention/steps/step_id.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::ui {

struct PanelContext;

FlowMetrics flowMetrics(const FrameContext& look);

/// Paints a layout whose upper left corner is at `origin` on the display; the part `hovered` is
/// under the mouse, `look` has the fonts of flowMetrics().
void drawFlow(const PanelContext& panel, const FlowLayout& layout, ImVec2 origin,
              std::optional<FlowId> hovered, const FrameContext& look);

// The emphasis of each part, and the ribbons' colours.

/// The emphasis of one frame: the current step, the path of the chosen head, the part under the
/// mouse.
struct FlowStress {
  const Theme& theme;
  const AttentionConfig& config;
  const FlowLayout& layout;
  StepId step;
  Index head;
  std::optional<FlowId> hovered;

  bool chosen(FlowId id) const;
  /// Returns whether the part is or follows the output of a head that is switched off.
  bool off(FlowId id) const;
  /// The opacity of a block.
  float block(const FlowBlock& block) const;
  /// The opacity of a ribbon where `overlapping` ribbons of its kind lie on top of each other.
  float ribbon(const FlowRibbon& ribbon, std::size_t overlapping) const;
};

/// The ribbons in drawing order: the path of the chosen head is drawn last.
gl::RibbonBatch flowRibbons(const FlowStress& stress, ImVec2 origin);

}  // namespace headscope::ui
