#include "app/ui/heads/token_axis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/heads/effect_picture.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

TokenAxis::TokenAxis(const Panel& panel, float width, float height)
    : panel_(panel), tokens_(laneTokens(panel.trace, Lane::query, panel.view.item)) {
  const Look& look = panel.look;
  const float line = fontSize(look.fonts.tiny);
  cell_ = width / static_cast<float>(panel.trace.config().seqLen);
  widest_ = labelWidth(look.fonts.tiny, tokens_, look.px(48));
  turned_ = widest_ > cell_ - 3.0F && cell_ > line && height > look.px(130);
  room_ = turned_ ? std::min(look.px(34), widest_ * 0.72F + look.px(10)) : line + look.px(4);
}

void TokenAxis::draw(ImDrawList* list, ImVec2 corner) const {
  const Look& look = panel_.look;
  const Theme& t = look.theme;
  ImFont* font = look.fonts.tiny;
  const Index lit = panel_.view.selected ? chosenToken(panel_) : -1;
  const ImVec2 at(corner.x, corner.y + look.px(3));
  if (turned_) {
    drawColumnLabels(list, tokens_, at, cell_, room_ - look.px(3),
                     {font, t.textMuted, t.queryText, lit});
    return;
  }
  const auto count = static_cast<Index>(tokens_.size());
  const auto every =
      std::max<Index>(1, static_cast<Index>(std::ceil((widest_ + look.px(4)) / cell_)));
  const auto label = [&](Index i, ImU32 color) {
    const std::string text =
        elided(font, shownToken(tokens_[static_cast<std::size_t>(i)]), std::max(widest_, cell_));
    const float middle = at.x + (static_cast<float>(i) + 0.5F) * cell_;
    const float half = textSize(font, text).x * 0.5F;
    const float end = at.x + cell_ * static_cast<float>(count);
    const float x = std::clamp(middle - half, at.x, std::max(end - 2 * half, at.x));
    drawText(list, font, {x, at.y}, color, text);
  };
  for (Index i = 0; i < count; i += every) {
    if (lit < 0 || std::abs(i - lit) >= every) label(i, t.textMuted);
  }
  if (lit >= 0 && lit < count) label(lit, t.queryText);
}

}  // namespace headscope::ui
