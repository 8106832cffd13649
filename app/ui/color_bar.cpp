#include "app/ui/color_bar.h"

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

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

}  // namespace headscope::ui
