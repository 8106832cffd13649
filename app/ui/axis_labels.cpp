#include "app/ui/axis_labels.h"

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMeasured = 512;  // labels looked at for a width; more never fit

/// Every how many labels one is drawn, so that they stay `least` apart.
Index stride(float cell, float least) {
  return std::max<Index>(1, static_cast<Index>(std::ceil(least / std::max(cell, 1e-4F))));
}

template <typename Draw>
void eachShown(const std::vector<std::string>& tokens, Index every, Index lit, Draw&& draw) {
  const auto count = static_cast<Index>(tokens.size());
  for (Index i = 0; i < count; i += every) {
    if (lit >= 0 && i != lit && std::abs(i - lit) < every) continue;  // room for the lit one
    draw(i, false);
  }
  if (lit >= 0 && lit < count) draw(lit, true);
}

}  // namespace

float labelWidth(ImFont* font, const std::vector<std::string>& tokens, float limit) {
  float widest = 0.0F;
  const std::size_t step = tokens.size() / kMeasured + 1;
  for (std::size_t i = 0; i < tokens.size() && widest < limit; i += step) {
    widest = std::max(widest, textSize(font, shownToken(tokens[i])).x);
  }
  return std::min(widest, limit);
}

void drawRowLabels(ImDrawList* list, const std::vector<std::string>& tokens, ImVec2 corner,
                   float cell, float width, const LabelStyle& style) {
  const float height = fontSize(style.font);
  eachShown(tokens, stride(cell, height * 0.95F), style.lit, [&](Index i, bool lit) {
    const std::string text =
        elided(style.font, shownToken(tokens[static_cast<std::size_t>(i)]), width);
    const ImVec2 size = textSize(style.font, text);
    const float y = corner.y + (static_cast<float>(i) + 0.5F) * cell - size.y * 0.5F;
    drawText(list, style.font, {corner.x - size.x, y}, lit ? style.litColor : style.color, text);
  });
}

void drawColumnLabels(ImDrawList* list, const std::vector<std::string>& tokens, ImVec2 corner,
                      float cell, float room, const LabelStyle& style) {
  const float height = fontSize(style.font);
  float widest = 0.0F;
  const std::size_t step = tokens.size() / kMeasured + 1;
  for (std::size_t i = 0; i < tokens.size(); i += step) {
    widest = std::max(widest, textSize(style.font, shownToken(tokens[i])).x);
  }
  const bool turned = widest > cell - 3.0F;
  const float least = turned ? height * 1.25F : 0.0F;
  eachShown(tokens, stride(cell, least), style.lit, [&](Index i, bool lit) {
    const std::string_view token = shownToken(tokens[static_cast<std::size_t>(i)]);
    const float x = corner.x + (static_cast<float>(i) + 0.5F) * cell;
    const ImU32 color = lit ? style.litColor : style.color;
    if (turned) {
      const std::string text = elided(style.font, token, room * 1.35F - height * 0.5F);
      drawTurnedText(list, style.font, {x - height * 0.1F, corner.y}, color, text, 45.0F);
    } else {
      drawTextCentred(list, style.font, {x, corner.y + height * 0.5F}, color, token);
    }
  });
}

}  // namespace headscope::ui
