#include "app/ui/arithmetic_strip.h"

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

void arithmeticStrip(const Panel& panel, ArithmeticMemory& memory, ImVec2 at, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + size.x, at.y + size.y}, t.accentSoft, look.px(6));
  const float pad = look.px(12);
  const float lineHeight = fontSize(look.fonts.mono) + look.px(5);
  const int lines = size.y > 2 * lineHeight ? 2 : 1;
  ImVec2 pen(at.x + pad,
             at.y + (size.y - static_cast<float>(lines) * lineHeight) * 0.5F + look.px(2));
  const auto& shown =
      panel.view.hovered ? std::optional(panel.view.hovered->cell) : panel.view.selected;
  if (!shown || !exists(*shown, panel.trace.config())) {
    drawText(
        list, look.fonts.small, pen, t.textMuted,
        elided(look.fonts.small, "Point at a cell to see its arithmetic; click to keep it here.",
               size.x - 2 * pad));
    return;
  }
  const auto terms =
      static_cast<std::size_t>(std::clamp((size.x - look.px(520)) / look.px(130), 1.0F, 6.0F));
  if (memory.pass != panel.trace.pass() || !(memory.cell == *shown) || memory.terms != terms) {
    memory.arithmetic = arithmetic(panel.trace, *shown, terms);
    memory.cell = *shown;
    memory.pass = panel.trace.pass();
    memory.terms = terms;
  }
  const Arithmetic& a = memory.arithmetic;
  drawText(list, look.fonts.mono, pen, t.accentText, a.name);
  const float indent = textSize(look.fonts.mono, a.name + " ").x;
  const float room = size.x - 2 * pad - indent;
  drawText(list, look.fonts.mono, {pen.x + indent, pen.y}, t.text,
           elided(look.fonts.mono, a.sum, room));
  if (lines < 2) return;
  drawText(list, look.fonts.mono, {pen.x + indent, pen.y + lineHeight}, t.textMuted,
           elided(look.fonts.mono, a.next, room));
}

}  // namespace headscope::ui
