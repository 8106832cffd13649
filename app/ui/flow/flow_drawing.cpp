#include "app/ui/flow/flow_drawing.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "app/ui/compat.h"
#include "app/ui/flow/flow_parts.h"
#include "app/ui/head_switch.h"
#include "app/ui/panel.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/rich_text.h"
#include "app/ui/scene_commands.h"
#include "app/ui/selection.h"
#include "app/ui/step_looks.h"
#include "app/ui/widgets.h"
#include "core/analysis/rows.h"
#include "core/attention/tensor_id.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// The context that all functions that paint the flow share.
struct FlowCanvas {
  const FrameContext& look;
  const FlowLayout& layout;
  FlowStress stress;
  ImVec2 origin;  // the layout's upper left corner on the display
  ImDrawList* list;

  const Theme& theme() const { return look.theme; }
  const Fonts& fonts() const { return look.fonts; }
  const AttentionConfig& config() const { return stress.config; }
  ImU32 headColor(Index head) const {
    return ui::headColor(look.theme, static_cast<std::size_t>(head));
  }

  /// The rectangle on the display, rounded to whole points.
  Rect placed(const Rect& rect) const;
  void fill(const Rect& rect, ImU32 color, float alpha, float rounding = 0,
            ImDrawFlags corners = ImDrawFlags_RoundCornersAll) const;
  /// Draws a line around the rectangle.
  void frame(const Rect& rect, ImU32 color, float line, float rounding) const;
};

Rect FlowCanvas::placed(const Rect& rect) const {
  return {{std::round(origin.x + rect.a.x), std::round(origin.y + rect.a.y)},
          {std::round(origin.x + rect.b.x), std::round(origin.y + rect.b.y)}};
}

void FlowCanvas::fill(const Rect& rect, ImU32 color, float alpha, float rounding,
                      ImDrawFlags corners) const {
  list->AddRectFilled(rect.a, {rect.b.x, std::max(rect.b.y, rect.a.y + 1)}, withAlpha(color, alpha),
                      rounding, corners);
}

void FlowCanvas::frame(const Rect& rect, ImU32 color, float line, float rounding) const {
  const Rect around = rect.outset(line / 2);
  list->AddRect(around.a, around.b, color, rounding, ImDrawFlags_RoundCornersAll, line);
}

// Blocks, with their stripes, frames and letters.

constexpr float kFlowRounding = 3;
constexpr float kStripeGapFrom = 5;  // stripes at least this high have a gap between them
constexpr float kCapital = 0.8F;     // a capital letter's height with a margin, per line height

/// Returns the colour that `color` makes over `background` at an opacity.
ImU32 blendedOver(ImU32 background, ImU32 color, float alpha) {
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(background);
  const ImVec4 b = ImGui::ColorConvertU32ToFloat4(color);
  const auto mix = [alpha](float from, float to) { return from + (to - from) * alpha; };
  return ImGui::ColorConvertFloat4ToU32({mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), 1});
}

float roundingOf(const FlowCanvas& canvas, const Rect& rect) {
  return std::min(canvas.look.px(kFlowRounding), rect.height() / 2);
}

struct Stripes {
  float alpha;
  float chosenAlpha;
  bool greyOff;  // whether stripes of heads that are off are grey
};

/// Paints one stripe per head of the tensor from top to bottom; K and V have key/value heads. Where
/// stripes are thinner than a point, each point shows the head at its place.
void paintStripes(const FlowCanvas& canvas, const Rect& rect, TensorId tensor,
                  const Stripes& stripes) {
  const AttentionConfig& config = canvas.config();
  const Index heads = headCount(tensor, config);
  const Index chosen = headIn(tensor, canvas.stress.head, config);
  const float height = std::max(rect.height(), 1.0F);
  const bool thin = static_cast<float>(heads) > height;
  const Index count = thin ? static_cast<Index>(height) : heads;
  const auto border = [&](Index i) {
    return std::round(rect.a.y + height * static_cast<float>(i) / static_cast<float>(count));
  };
  const float gap = height / static_cast<float>(count) >= kStripeGapFrom ? 1.0F : 0.0F;
  for (Index i = 0; i < count; ++i) {
    const Index head = thin ? heads * i / count : i;
    const bool off = stripes.greyOff && isOff(config, head);
    const float alpha = head == chosen ? stripes.chosenAlpha : stripes.alpha;
    canvas.fill({{rect.a.x, border(i)}, {rect.b.x, border(i + 1) - (i + 1 < count ? gap : 0)}},
                off ? canvas.theme().textMuted : canvas.headColor(head), off ? alpha / 2 : alpha);
  }
}

void paintLetter(const FlowCanvas& canvas, const Rect& rect, const char* letter, ImU32 color,
                 const FlowBlock& block) {
  ImFont* font = canvas.fonts().semibold;
  const ImVec2 size = textSize(font, letter);
  if (size.x > rect.width() || size.y * kCapital > block.rect.height()) return;
  const ImU32 behind = blendedOver(canvas.theme().panel, color, canvas.stress.block(block));
  drawText(canvas.list, font, rect.placed(size).a, withAlpha(legibleOn(behind), block.opacity),
           letter);
}

/// Paints Q, K or V in its own colour, with its heads' colours along the right edge.
void paintProjection(const FlowCanvas& canvas, const FlowBlock& block, TensorId tensor) {
  const Rect rect = canvas.placed(block.rect);
  const float alpha = canvas.stress.block(block);
  const float stripes = std::round(canvas.layout.stripeWidth);
  const Rect body{rect.a, {rect.b.x - stripes - 1, rect.b.y}};
  const ImU32 color = areaColor(canvas.theme(), lookOf(tensor).ink, 0);
  canvas.fill(body, color, alpha, roundingOf(canvas, rect), ImDrawFlags_RoundCornersLeft);
  paintStripes(canvas, {{rect.b.x - stripes, rect.a.y}, rect.b}, tensor,
               {alpha, block.opacity, false});
  paintLetter(canvas, body, partWith(tensor)->letter, color, block);
}

void paintOutputWeights(const FlowCanvas& canvas, const FlowBlock& block) {
  const Rect rect = canvas.placed(block.rect);
  const float alpha = canvas.stress.block(block);
  paintStripes(canvas, rect, TensorId::concat, {alpha * 0.65F, alpha, true});
  const std::string_view symbol = info(TensorId::wO).symbol;
  const Fonts& fonts = canvas.fonts();
  const ImVec2 size = richTextSize(fonts, fonts.regular, symbol);
  const ImVec2 half(size.x / 2 + canvas.look.px(7), size.y / 2 + canvas.look.px(3));
  const ImVec2 centre = rect.centre();
  if (2 * half.y > rect.height() || 2 * half.x > rect.width()) return;
  canvas.fill(rect.placed({2 * half.x, 2 * half.y}), canvas.theme().panel, 0.94F * block.opacity,
              half.y);
  drawRichText(canvas.list, fonts, fonts.regular, {centre.x - size.x / 2, centre.y - size.y / 2},
               withAlpha(canvas.theme().text, block.opacity), symbol);
}

/// Draws the frame of a heatmap, in its head's colour.
void paintHeatmapFrame(const FlowCanvas& canvas, const FlowBlock& block) {
  const Rect rect = canvas.placed(block.rect);
  if (rect.height() < canvas.look.space.tight) return;
  const bool stressed = canvas.stress.chosen(block.id) || canvas.stress.hovered == block.id;
  const bool lit = stressed || lights(block.id.part, canvas.stress.step);
  const ImU32 color = stressed ? canvas.theme().text : canvas.headColor(block.id.head);
  const float line =
      stressed ? std::min(canvas.look.space.thin, rect.height() / 6) : canvas.look.space.hair;
  canvas.frame(rect, withAlpha(color, block.opacity * (lit ? 1.0F : 0.6F)), line,
               std::min(canvas.look.space.thin, rect.height() / 8));
}

void paintBlock(const FlowCanvas& canvas, const FlowBlock& block) {
  const FlowPartInfo& part = infoOf(block.id.part);
  switch (block.id.part) {
    case FlowPart::query:
    case FlowPart::key:
    case FlowPart::value:
      return paintProjection(canvas, block, part.tensor);
    case FlowPart::weights:
      return paintHeatmapFrame(canvas, block);
    case FlowPart::outputWeights:
      return paintOutputWeights(canvas, block);
    default:
      break;
  }
  const Theme& theme = canvas.theme();
  const Rect rect = canvas.placed(block.rect);
  const float alpha = canvas.stress.block(block);
  const float rounding = roundingOf(canvas, rect);
  if (block.id.part == FlowPart::concat) {
    return paintStripes(canvas, rect, part.tensor, {alpha, alpha, true});
  }
  if (part.owner == FlowOwner::hiddenHeads) {
    return canvas.fill(rect, theme.textMuted, alpha * 0.4F, rounding / 2);
  }
  const ImU32 color = canvas.stress.off(block.id)
                          ? theme.textMuted
                          : areaColor(theme, lookOf(part.tensor).ink, block.id.head);
  canvas.fill(rect, color, alpha, part.owner == FlowOwner::allHeads ? rounding : rounding / 2);
  if (block.id.part == FlowPart::input) paintLetter(canvas, rect, "X", color, block);
}

/// Paints the weights of every head, averaged down to the pixels of its heatmap.
void paintHeatmaps(const FlowCanvas& canvas, const PanelContext& panel) {
  const AttentionConfig& config = canvas.config();
  const Index item = std::clamp<Index>(panel.selection.item, 0, panel.trace.batch() - 1);
  const ColorScale scale = weightScale(panel.look, weightRange(panel.trace, item, -1));
  Heatmaps heatmaps(panel.look);
  for (const FlowBlock& block : canvas.layout.blocks) {
    // A heatmap that fades out may belong to a head that no longer exists.
    if (block.id.part != FlowPart::weights || block.id.head >= panel.trace.numHeads()) continue;
    const Rect rect = canvas.placed(block.rect);
    canvas.fill(rect, canvas.theme().panel, block.opacity);
    const MatrixRef ref = wholeMatrix(TensorId::weights, config, item, block.id.head);
    auto cells = cellsToShow(panel.trace, ref);
    if (!cells) continue;
    gl::HeatmapQuad& quad = heatmaps.add(Fingerprint("flow", ref.place()),
                                         Fingerprint("revision", revisionOf(panel.trace, ref)),
                                         std::move(*cells), scale, rect, false, Reduction::mean);
    quad.opacity = block.opacity;
    quad.gap = 0;
  }
  heatmaps.draw(canvas.list);
}

// Text.

/// Badges of at least this size have numbers in small print, smaller ones in tiny print.
constexpr float kRoomyBadge = 14;

void paintBadge(const FlowCanvas& canvas, const FlowBadge& badge) {
  const FrameContext& look = canvas.look;
  const Rect rect = canvas.placed(badge.rect);
  const ImU32 color = canvas.headColor(badge.id.head);
  const bool off = isOff(canvas.config(), badge.id.head);
  const bool roomy = badge.rect.height() >= look.px(kRoomyBadge);
  const float rounding = rect.height() / 2;
  if (canvas.stress.chosen(badge.id)) {
    const float ring = look.px(roomy ? 1.5F : 0.5F);
    canvas.fill(rect.outset(ring), canvas.theme().text, badge.opacity, rounding + ring);
  }
  canvas.fill(rect, off ? canvas.theme().panel : color, badge.opacity, rounding);
  if (off) canvas.frame(rect, canvas.theme().textMuted, look.space.hair, rounding);
  ImFont* font = roomy ? canvas.fonts().small : canvas.fonts().tiny;
  const std::string number = std::to_string(badge.id.head + 1);
  const ImVec2 size = textSize(font, number);
  drawText(canvas.list, font, rect.placed(size).a,
           withAlpha(off ? canvas.theme().textMuted : legibleOn(color), badge.opacity), number);
}

void paintLabel(const FlowCanvas& canvas, const FlowLabel& label) {
  const Theme& theme = canvas.theme();
  const Fonts& fonts = canvas.fonts();
  const StepId step = canvas.stress.step;
  const bool lit = givenBy(label.id.part, step);
  float width = 0;
  bool phraseLit = false;  // one piece of the formula stands for the step
  for (const FlowPhrase& phrase : label.name) {
    width += richTextSize(fonts, fonts.small, phrase.text).x;
    phraseLit |= phrase.step == step;
  }
  ImVec2 at(std::round(canvas.origin.x + label.x - width / 2),
            std::round(canvas.origin.y + label.y));
  for (const FlowPhrase& phrase : label.name) {
    const bool stressed = phraseLit ? phrase.step == step : lit;
    drawRichText(canvas.list, fonts, fonts.small, at,
                 withAlpha(stressed ? theme.accentText : theme.text, label.opacity), phrase.text);
    at.x += richTextSize(fonts, fonts.small, phrase.text).x;
  }
  float y = at.y + fontSize(fonts.small);
  for (const std::string& shape : label.shapes) {
    y += canvas.look.px(kFlowLineGap);
    const float left = canvas.origin.x + label.x - textSize(fonts.monoSmall, shape).x / 2;
    drawText(canvas.list, fonts.monoSmall, {left, y},
             withAlpha(lit ? theme.accentText : theme.textMuted, label.opacity), shape);
    y += fontSize(fonts.monoSmall);
  }
}

void paintNote(const FlowCanvas& canvas, const FlowNote& note) {
  const Fonts& fonts = canvas.fonts();
  drawText(canvas.list, note.tiny ? fonts.tiny : fonts.small,
           {canvas.origin.x + note.x - note.width / 2, canvas.origin.y + note.y},
           withAlpha(canvas.theme().textMuted, note.opacity), note.text);
}

}  // namespace

FlowMetrics flowMetrics(const FrameContext& look) {
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

void drawFlow(const PanelContext& panel, const FlowLayout& layout, ImVec2 origin,
              std::optional<FlowId> hovered, const FrameContext& look) {
  const AttentionConfig& config = panel.trace.config();
  const Index head = std::clamp<Index>(panel.selection.head, 0, panel.trace.numHeads() - 1);
  // Blocks are drawn over ribbons and heatmaps, text over all.
  const FlowCanvas canvas = {look,
                             layout,
                             {look.theme, config, layout, panel.selection.step, head, hovered},
                             origin,
                             ImGui::GetWindowDrawList()};
  addRibbons(canvas.list, look.scene, flowRibbons(canvas.stress, origin));
  paintHeatmaps(canvas, panel);
  for (const FlowBlock& block : layout.blocks) {
    paintBlock(canvas, block);
    if (hovered == block.id && block.id.part != FlowPart::weights) {
      const Rect rect = canvas.placed(block.rect);
      canvas.frame(rect, canvas.theme().text, canvas.look.px(1.5F), roundingOf(canvas, rect));
    }
  }
  for (const FlowBadge& badge : layout.badges) paintBadge(canvas, badge);
  for (const FlowLabel& label : layout.labels) paintLabel(canvas, label);
  for (const FlowNote& note : layout.notes) paintNote(canvas, note);
}

}  // namespace headscope::ui
