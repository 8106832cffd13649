#include "app/ui/parts/color_bar.h"

#include <algorithm>
#include <string>

#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// The width of the upper end's text, at least that of most numbers, so that what follows does not
/// move when numbers change.
float upperEndWidth(const FrameContext& look, const std::string& text, ImFont* font) {
  return std::max(textSize(font, text).x, textSize(look.fonts.monoSmall, "0.000").x);
}

/// Draws a colour map in a rectangle. The low end is at the bottom, or at the left if not
/// `upright`.
void drawColorMap(const FrameContext& look, ImDrawList* list, const ColorMap& map, const Rect& at,
                  bool upright) {
  constexpr int kBands = 64;
  for (int i = 0; i < kBands; ++i) {
    const Rect band = upright ? at.row(i, kBands, 0.0F) : at.column(i, kBands, 0.0F);
    const auto color = [&](int edge) {
      const float along = static_cast<float>(edge) / kBands;
      return map.at(upright ? 1.0F - along : along);
    };
    const ImU32 first = color(i);
    const ImU32 last = color(i + 1);
    list->AddRectFilledMultiColor(band.a, band.b, first, upright ? first : last, last,
                                  upright ? last : first);
  }
  list->AddRect(at.a, at.b, look.theme.panelBorder);
}

}  // namespace

float colorBarWidth(const FrameContext& look) { return look.px(70); }

void colorBar(const FrameContext& look, const ColorScale& scale, ImVec2 at, float height) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rect bar = Rect::at(at, {look.px(12), height});
  drawColorMap(look, list, look.maps[scale.map], bar, true);
  ImFont* font = look.fonts.monoSmall;
  const auto mark = [&](float along, float value) {
    const float y = at.y + height * (1.0F - along);
    list->AddLine({bar.b.x, y}, {bar.b.x + look.px(3), y}, look.theme.textMuted);
    drawText(list, font, {bar.b.x + look.space.small, y - fontSize(font) * 0.5F},
             look.theme.textMuted, number(value, 3));
  };
  mark(0.0F, scale.low);
  mark(1.0F, scale.high);
  if (scale.diverging || height > look.px(80)) mark(0.5F, (scale.low + scale.high) * 0.5F);
}

void colorStrip(const FrameContext& look, const ColorScale& scale, float width, const char* high) {
  inlineLabel(look, look.fonts.monoSmall, look.theme.textMuted, number(scale.low, 3));
  const float frame = ImGui::GetFrameHeight();
  const Rect row = Rect::at(ImGui::GetCursorScreenPos(), {width, frame});
  drawColorMap(look, ImGui::GetWindowDrawList(), look.maps[scale.map],
               row.placed({width, look.space.medium}), false);
  ImGui::Dummy(row.size());
  ImGui::SameLine(0.0F, look.space.small);
  ImFont* font = high == nullptr ? look.fonts.monoSmall : look.fonts.small;
  const std::string upper = high == nullptr ? number(scale.high, 3) : std::string(high);
  const ImVec2 end = ImGui::GetCursorScreenPos();
  inlineLabel(look, font, look.theme.textMuted, upper);
  ImGui::SetCursorScreenPos(end);
  ImGui::Dummy({upperEndWidth(look, upper, font), frame});
}

float colorStripWidth(const FrameContext& look, const ColorScale& scale, float width,
                      const char* high) {
  const float upper = high == nullptr
                          ? upperEndWidth(look, number(scale.high, 3), look.fonts.monoSmall)
                          : upperEndWidth(look, high, look.fonts.small);
  return textSize(look.fonts.monoSmall, number(scale.low, 3)).x + width + upper + look.px(18);
}

}  // namespace headscope::ui
