#include "app/ui/heads/token_axis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

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
  const float apart = look.px(4);
  struct Label {
    std::string text;
    float start, end;
  };
  // those at the ends move inwards, towards their neighbours
  const auto label = [&](Index i) {
    std::string text =
        elided(font, shownToken(tokens_[static_cast<std::size_t>(i)]), std::max(widest_, cell_));
    const float middle = at.x + (static_cast<float>(i) + 0.5F) * cell_;
    const float width = textSize(font, text).x;
    const float last = at.x + cell_ * static_cast<float>(count) - width;
    const float x = std::clamp(middle - width * 0.5F, at.x, std::max(last, at.x));
    return Label{std::move(text), x, x + width};
  };
  std::optional<Label> own;
  if (lit >= 0 && lit < count) own = label(lit);
  float free = at.x;
  for (Index i = 0; i < count; i += every) {
    const Label next = label(i);
    const bool onLit = own && next.start < own->end + apart && next.end + apart > own->start;
    if (next.start < free || onLit) continue;
    drawText(list, font, {next.start, at.y}, t.textMuted, next.text);
    free = next.end + apart;
  }
  if (own) drawText(list, font, {own->start, at.y}, t.queryText, own->text);
}

}  // namespace headscope::ui
