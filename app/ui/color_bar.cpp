#include "app/ui/color_bar.h"

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// At least that of most numbers: what stands behind does not move as they change.
float upperWidth(const Look& look, const std::string& text, ImFont* font) {
  return std::max(textSize(font, text).x, textSize(look.fonts.monoSmall, "0.000").x);
}

}  // namespace

float colorBarWidth(const Look& look) { return look.px(70); }

void colorBar(const Look& look, const ColorScale& scale, ImVec2 at, float height) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = look.px(12);
  constexpr int kBands = 64;
  const ColorMap& map = look.maps[scale.map];
  for (int i = 0; i < kBands; ++i) {
    const float top = at.y + height * static_cast<float>(i) / kBands;
    const float bottom = at.y + height * static_cast<float>(i + 1) / kBands;
    const float t0 = 1.0F - static_cast<float>(i) / kBands;
    const float t1 = 1.0F - static_cast<float>(i + 1) / kBands;
    list->AddRectFilledMultiColor({at.x, top}, {at.x + width, bottom}, map.at(t0), map.at(t0),
                                  map.at(t1), map.at(t1));
  }
  list->AddRect(at, {at.x + width, at.y + height}, look.theme.panelBorder);
  ImFont* font = look.fonts.monoSmall;
  const float half = fontSize(font) * 0.5F;
  const auto mark = [&](float t, float value) {
    const float y = at.y + height * (1.0F - t);
    list->AddLine({at.x + width, y}, {at.x + width + look.px(3), y}, look.theme.textMuted);
    drawText(list, font, {at.x + width + look.px(6), y - half}, look.theme.textMuted,
             number(value, 3));
  };
  mark(0.0F, scale.low);
  mark(1.0F, scale.high);
  if (scale.diverging || height > look.px(80)) mark(0.5F, (scale.low + scale.high) * 0.5F);
}

void colorStrip(const Look& look, const ColorScale& scale, float width, const char* high) {
  inlineLabel(look, look.fonts.monoSmall, look.theme.textMuted, number(scale.low, 3));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float frame = ImGui::GetFrameHeight();
  const float height = look.px(9);
  const ImVec2 a(at.x, at.y + (frame - height) * 0.5F);
  ImDrawList* list = ImGui::GetWindowDrawList();
  constexpr int kBands = 64;
  const ColorMap& map = look.maps[scale.map];
  for (int i = 0; i < kBands; ++i) {
    const float t0 = static_cast<float>(i) / kBands;
    const float t1 = static_cast<float>(i + 1) / kBands;
    list->AddRectFilledMultiColor({a.x + width * t0, a.y}, {a.x + width * t1, a.y + height},
                                  map.at(t0), map.at(t1), map.at(t1), map.at(t0));
  }
  list->AddRect(a, {a.x + width, a.y + height}, look.theme.panelBorder);
  ImGui::Dummy({width, frame});
  ImGui::SameLine(0.0F, look.px(6));
  ImFont* font = high == nullptr ? look.fonts.monoSmall : look.fonts.small;
  const std::string upper = high == nullptr ? number(scale.high, 3) : std::string(high);
  const ImVec2 end = ImGui::GetCursorScreenPos();
  inlineLabel(look, font, look.theme.textMuted, upper);
  ImGui::SetCursorScreenPos(end);
  ImGui::Dummy({upperWidth(look, upper, font), frame});
  ImGui::SameLine(0.0F, look.px(6));
}

float colorStripWidth(const Look& look, const ColorScale& scale, float width, const char* high) {
  const float upper = high == nullptr
                          ? upperWidth(look, number(scale.high, 3), look.fonts.monoSmall)
                          : upperWidth(look, high, look.fonts.small);
  return textSize(look.fonts.monoSmall, number(scale.low, 3)).x + width + upper + look.px(18);
}

}  // namespace headscope::ui
