#include "app/ui/flow/flow_drawing.h"

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/flow/flow_canvas.h"
#include "app/ui/flow/head_heatmap.h"
#include "app/ui/rich_text.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr int kMaxPicture = 64;  // cells of a heatmap, each way

void paintHeatmaps(const FlowCanvas& canvas, const Panel& panel) {
  const AttentionConfig& config = canvas.config();
  const Index item = std::clamp<Index>(panel.view.item, 0, config.batch - 1);
  const auto cells = [&](float length) {
    const float pixels = length * canvas.look.scene.pixelsPerPoint;
    return std::clamp(static_cast<int>(pixels), 1, kMaxPicture);
  };
  gl::HeatmapBatch batch;
  for (const FlowBlock& block : canvas.layout.blocks) {
    // One that is fading out may belong to a head that is no more.
    if (block.id.part != FlowPart::weights || block.id.head >= config.numHeads) continue;
    gl::HeatmapQuad quad;
    quad.rect = canvas.placed(block.rect);
    quad.source = batch.sources.size();
    quad.colorMap = ColorMaps::sequential(panel.view.colorMaps, canvas.theme().kind);
    quad.opacity = block.opacity;
    canvas.fill(quad.rect, canvas.theme().panel, block.opacity);
    batch.sources.push_back(weightsPicture(panel.trace, item, block.id.head,
                                           cells(quad.rect.y1 - quad.rect.y0),
                                           cells(quad.rect.x1 - quad.rect.x0)));
    batch.quads.push_back(quad);
  }
  addHeatmaps(canvas.list, canvas.look.scene, std::move(batch));
}

}  // namespace

FlowMetrics flowMetrics(const Look& look) {
  const Fonts& fonts = look.fonts;
  FlowMetrics metrics;
  metrics.scale = look.scale;
  metrics.nameHeight = fontSize(fonts.small);
  metrics.shapeHeight = fontSize(fonts.monoSmall);
  metrics.noteHeight = fontSize(fonts.small);
  metrics.tinyHeight = fontSize(fonts.tiny);
  metrics.nameWidth = [&fonts](std::string_view text) {
    return richTextSize(fonts, fonts.small, text).x;
  };
  metrics.shapeWidth = [&fonts](std::string_view text) {
    return textSize(fonts.monoSmall, text).x;
  };
  metrics.noteWidth = [&fonts](std::string_view text) { return textSize(fonts.small, text).x; };
  metrics.tinyWidth = [&fonts](std::string_view text) { return textSize(fonts.tiny, text).x; };
  return metrics;
}

void drawFlow(const Panel& panel, const FlowLayout& layout, ImVec2 origin,
              std::optional<FlowId> hovered) {
  const AttentionConfig& config = panel.trace.config();
  const Index head = std::clamp<Index>(panel.view.head, 0, config.numHeads - 1);
  const FlowCanvas canvas = {panel.look,
                             layout,
                             {panel.look.theme, config, layout, panel.view.step, head, hovered},
                             origin,
                             ImGui::GetWindowDrawList()};
  addRibbons(canvas.list, panel.look.scene, flowRibbons(canvas.stress, origin));
  paintHeatmaps(canvas, panel);
  paintBlocks(canvas);
  paintText(canvas);
}

}  // namespace headscope::ui
