#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/flow/flow_canvas.h"
#include "app/ui/flow/flow_parts.h"
#include "app/ui/head_switch.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// Numbers are small print on badges from this size on, and tiny on smaller ones.
constexpr float kRoomyBadge = 14;

void paintBadge(const FlowCanvas& canvas, const FlowBadge& badge) {
  const Look& look = canvas.look;
  const gl::Rect rect = canvas.placed(badge.rect);
  const ImU32 color = canvas.headColor(badge.id.head);
  const bool off = isOff(canvas.config(), badge.id.head);
  const bool roomy = badge.rect.y1 - badge.rect.y0 >= look.px(kRoomyBadge);
  const float rounding = (rect.y1 - rect.y0) / 2;
  if (canvas.stress.chosen(badge.id)) {
    const float ring = look.px(roomy ? 1.5F : 0.5F);
    canvas.fill({rect.x0 - ring, rect.y0 - ring, rect.x1 + ring, rect.y1 + ring},
                canvas.theme().text, badge.opacity, rounding + ring);
  }
  canvas.fill(rect, off ? canvas.theme().panel : color, badge.opacity, rounding);
  if (off) canvas.frame(rect, canvas.theme().textMuted, look.px(1), rounding);
  ImFont* font = roomy ? canvas.fonts().small : canvas.fonts().tiny;
  const std::string number = std::to_string(badge.id.head + 1);
  const ImVec2 size = textSize(font, number);
  drawText(canvas.list, font, {(rect.x0 + rect.x1 - size.x) / 2, (rect.y0 + rect.y1 - size.y) / 2},
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

void paintText(const FlowCanvas& canvas) {
  for (const FlowBadge& badge : canvas.layout.badges) paintBadge(canvas, badge);
  for (const FlowLabel& label : canvas.layout.labels) paintLabel(canvas, label);
  for (const FlowNote& note : canvas.layout.notes) paintNote(canvas, note);
}

}  // namespace headscope::ui
