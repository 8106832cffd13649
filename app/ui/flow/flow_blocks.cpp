#include <algorithm>
#include <cmath>

#include "app/ui/flow/flow_canvas.h"
#include "app/ui/flow/flow_parts.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/tensor_id.h"

namespace headscope::ui {
namespace {

constexpr float kRounding = 3;
constexpr float kStripeGapFrom = 5;  // stripes this high are told apart by a gap
constexpr float kCapital = 0.8F;     // height of a capital letter, of its line's, with some air

float heightOf(const gl::Rect& rect) { return rect.y1 - rect.y0; }

/// What `color` looks like on `background` at an opacity.
ImU32 over(ImU32 background, ImU32 color, float alpha) {
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(background);
  const ImVec4 b = ImGui::ColorConvertU32ToFloat4(color);
  const auto mix = [alpha](float from, float to) { return from + (to - from) * alpha; };
  return ImGui::ColorConvertFloat4ToU32({mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), 1});
}

float roundingOf(const FlowCanvas& canvas, const gl::Rect& rect) {
  return std::min(canvas.look.px(kRounding), heightOf(rect) / 2);
}

struct Stripes {
  float alpha;
  float chosenAlpha;
  bool greyOff;  // heads that are off have nothing here
};

/// All heads from top to bottom; where they are thinner than a point, the one at each point.
void paintStripes(const FlowCanvas& canvas, const gl::Rect& rect, const Stripes& stripes) {
  const AttentionConfig& config = canvas.config();
  const float height = std::max(heightOf(rect), 1.0F);
  const bool thin = static_cast<float>(config.numHeads) > height;
  const Index count = thin ? static_cast<Index>(height) : config.numHeads;
  const auto border = [&](Index i) {
    return std::round(rect.y0 + height * static_cast<float>(i) / static_cast<float>(count));
  };
  const float gap = height / static_cast<float>(count) >= kStripeGapFrom ? 1.0F : 0.0F;
  for (Index i = 0; i < count; ++i) {
    const Index head = thin ? config.numHeads * i / count : i;
    const bool off = stripes.greyOff && config.gain(head) == 0.0F;
    const float alpha = head == canvas.stress.head ? stripes.chosenAlpha : stripes.alpha;
    canvas.fill({rect.x0, border(i), rect.x1, border(i + 1) - (i + 1 < count ? gap : 0)},
                off ? canvas.theme().textMuted : canvas.headColor(head), off ? alpha / 2 : alpha);
  }
}

void paintLetter(const FlowCanvas& canvas, const gl::Rect& rect, const char* letter, ImU32 color,
                 const FlowBlock& block) {
  ImFont* font = canvas.fonts().semibold;
  const ImVec2 size = textSize(font, letter);
  if (size.x > rect.x1 - rect.x0 || size.y * kCapital > heightOf(block.rect)) return;
  const ImU32 behind = over(canvas.theme().panel, color, canvas.stress.block(block));
  drawText(canvas.list, font, {(rect.x0 + rect.x1 - size.x) / 2, (rect.y0 + rect.y1 - size.y) / 2},
           withAlpha(legibleOn(behind), block.opacity), letter);
}

/// Q, K or V: its own colour, and the heads' along the right edge.
void paintProjection(const FlowCanvas& canvas, const FlowBlock& block, const char* letter,
                     ImU32 color) {
  const gl::Rect rect = canvas.placed(block.rect);
  const float alpha = canvas.stress.block(block);
  const float stripes = std::round(canvas.layout.stripeWidth);
  const gl::Rect body = {rect.x0, rect.y0, rect.x1 - stripes - 1, rect.y1};
  canvas.fill(body, color, alpha, roundingOf(canvas, rect), ImDrawFlags_RoundCornersLeft);
  paintStripes(canvas, {rect.x1 - stripes, rect.y0, rect.x1, rect.y1},
               {alpha, block.opacity, false});
  paintLetter(canvas, body, letter, color, block);
}

void paintOutputWeights(const FlowCanvas& canvas, const FlowBlock& block) {
  const gl::Rect rect = canvas.placed(block.rect);
  const float alpha = canvas.stress.block(block);
  paintStripes(canvas, rect, {alpha * 0.65F, alpha, true});
  const std::string_view symbol = info(TensorId::wO).symbol;
  const Fonts& fonts = canvas.fonts();
  const ImVec2 size = richTextSize(fonts, fonts.regular, symbol);
  const ImVec2 half(size.x / 2 + canvas.look.px(7), size.y / 2 + canvas.look.px(3));
  const ImVec2 centre((rect.x0 + rect.x1) / 2, (rect.y0 + rect.y1) / 2);
  if (2 * half.y > heightOf(rect) || 2 * half.x > rect.x1 - rect.x0) return;
  canvas.fill({centre.x - half.x, centre.y - half.y, centre.x + half.x, centre.y + half.y},
              canvas.theme().panel, 0.94F * block.opacity, half.y);
  drawRichText(canvas.list, fonts, fonts.regular, {centre.x - size.x / 2, centre.y - size.y / 2},
               withAlpha(canvas.theme().text, block.opacity), symbol);
}

/// The frame of a heatmap, in its head's colour.
void paintFrame(const FlowCanvas& canvas, const FlowBlock& block) {
  const gl::Rect rect = canvas.placed(block.rect);
  if (heightOf(rect) < canvas.look.px(4)) return;
  const bool stressed = canvas.stress.chosen(block.id) || canvas.stress.hovered == block.id;
  const bool lit = stressed || lights(block.id.part, canvas.stress.step);
  const ImU32 color = stressed ? canvas.theme().text : canvas.headColor(block.id.head);
  const float line = stressed ? std::min(canvas.look.px(2), heightOf(rect) / 6) : canvas.look.px(1);
  canvas.frame(rect, withAlpha(color, block.opacity * (lit ? 1.0F : 0.6F)), line,
               std::min(canvas.look.px(2), heightOf(rect) / 8));
}

void paintBlock(const FlowCanvas& canvas, const FlowBlock& block) {
  const Theme& theme = canvas.theme();
  const gl::Rect rect = canvas.placed(block.rect);
  const float alpha = canvas.stress.block(block);
  const float rounding = roundingOf(canvas, rect);
  const float small = rounding / 2;  // of the heads' blocks
  switch (block.id.part) {
    case FlowPart::input:
      canvas.fill(rect, theme.input, alpha, rounding);
      return paintLetter(canvas, rect, "X", theme.input, block);
    case FlowPart::memory:
      return canvas.fill(rect, theme.input, alpha, rounding);
    case FlowPart::query:
      return paintProjection(canvas, block, "Q", theme.query);
    case FlowPart::key:
      return paintProjection(canvas, block, "K", theme.key);
    case FlowPart::value:
      return paintProjection(canvas, block, "V", theme.value);
    case FlowPart::headQuery:
      return canvas.fill(rect, theme.query, alpha, small);
    case FlowPart::headKey:
      return canvas.fill(rect, theme.key, alpha, small);
    case FlowPart::headValue:
      return canvas.fill(rect, theme.value, alpha, small);
    case FlowPart::weights:
      return paintFrame(canvas, block);
    case FlowPart::headOutput:
      return canvas.fill(
          rect, canvas.stress.off(block.id) ? theme.textMuted : canvas.headColor(block.id.head),
          alpha, small);
    case FlowPart::concat:
      return paintStripes(canvas, rect, {alpha, alpha, true});
    case FlowPart::outputWeights:
      return paintOutputWeights(canvas, block);
    case FlowPart::output:
      return canvas.fill(rect, theme.output, alpha, rounding);
    default:
      return canvas.fill(rect, theme.textMuted, alpha * 0.4F, small);
  }
}

}  // namespace

gl::Rect FlowCanvas::placed(const gl::Rect& rect) const {
  return {std::round(origin.x + rect.x0), std::round(origin.y + rect.y0),
          std::round(origin.x + rect.x1), std::round(origin.y + rect.y1)};
}

void FlowCanvas::fill(const gl::Rect& rect, ImU32 color, float alpha, float rounding,
                      ImDrawFlags corners) const {
  list->AddRectFilled({rect.x0, rect.y0}, {rect.x1, std::max(rect.y1, rect.y0 + 1)},
                      withAlpha(color, alpha), rounding, corners);
}

void FlowCanvas::frame(const gl::Rect& rect, ImU32 color, float line, float rounding) const {
  list->AddRect({rect.x0 - line / 2, rect.y0 - line / 2}, {rect.x1 + line / 2, rect.y1 + line / 2},
                color, rounding, ImDrawFlags_RoundCornersAll, line);
}

void paintBlocks(const FlowCanvas& canvas) {
  for (const FlowBlock& block : canvas.layout.blocks) {
    paintBlock(canvas, block);
    if (canvas.stress.hovered == block.id && block.id.part != FlowPart::weights) {
      const gl::Rect rect = canvas.placed(block.rect);
      canvas.frame(rect, canvas.theme().text, canvas.look.px(1.5F), roundingOf(canvas, rect));
    }
  }
}

}  // namespace headscope::ui
