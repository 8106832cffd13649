#include "app/ui/arithmetic_strip.h"

#include <fmt/format.h>

#include <optional>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostTerms = 6;

/// As many terms as the line has room for; the formula goes before the last of them.
Arithmetic fitting(const Look& look, const Trace& trace, const Explanation& e, float room) {
  for (const bool formula : {true, false}) {
    for (std::size_t terms = kMostTerms; terms > 0; --terms) {
      Arithmetic a = arithmetic(trace, e, terms, formula);
      if (textSize(look.fonts.mono, a.name + " " + a.sum).x <= room) return a;
    }
  }
  return arithmetic(trace, e, 0, false);
}

std::string linkText(const Explanation& e) {
  return e.terms.size() > 1 ? fmt::format("all {} terms", e.terms.size()) : "trace it back";
}

/// At the end of the first line: opens the terms of the cell.
void link(const Panel& panel, const CellRef& cell, const std::string& text, ImVec2 at) {
  const Look& look = panel.look;
  const ImVec2 size = textSize(look.fonts.small, text);
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton("terms", size);
  const ImU32 color = look.theme.accentText;
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawText(list, look.fonts.small, at, color, text);
  if (ImGui::IsItemHovered()) {
    list->AddLine({at.x, at.y + size.y}, {at.x + size.x, at.y + size.y}, color);
  }
  tip(look, "Every term, and back along it (T)");
  if (!clicked) return;
  panel.view.selected = cell;
  panel.view.tool = kTermsTool;
}

}  // namespace

void arithmeticStrip(const Panel& panel, ArithmeticMemory& memory, Explanations& explanations,
                     ImVec2 at, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + size.x, at.y + size.y}, t.accentSoft, look.px(6));
  const float pad = look.px(12);
  const float lineHeight = fontSize(look.fonts.mono) + look.px(5);
  const int lines = size.y > 2 * lineHeight ? 2 : 1;
  const ImVec2 pen(at.x + pad,
                   at.y + (size.y - static_cast<float>(lines) * lineHeight) * 0.5F + look.px(2));
  const auto shown =
      panel.view.hovered ? std::optional(panel.view.hovered->cell) : panel.view.selected;
  if (!shown || !exists(*shown, panel.trace.config())) {
    drawText(
        list, look.fonts.small, pen, t.textMuted,
        elided(look.fonts.small, "Point at a cell to see its arithmetic; click to keep it here.",
               size.x - 2 * pad));
    return;
  }
  float room = size.x - 2 * pad;
  const Explanation* e = isResult(shown->tensor) ? &explanations.of(panel.trace, *shown) : nullptr;
  if (e != nullptr && !e->terms.empty()) {
    const std::string text = linkText(*e);
    const ImVec2 extent = textSize(look.fonts.small, text);
    room -= extent.x + look.px(14);
    link(panel, *shown, text,
         {at.x + size.x - pad - extent.x, pen.y + (fontSize(look.fonts.mono) - extent.y) * 0.5F});
  }
  if (memory.pass != panel.trace.pass() || !(memory.cell == *shown) || memory.room != room) {
    memory.arithmetic = e != nullptr ? fitting(look, panel.trace, *e, room)
                                     : operandArithmetic(panel.trace, *shown);
    memory.cell = *shown;
    memory.pass = panel.trace.pass();
    memory.room = room;
  }
  const Arithmetic& a = memory.arithmetic;
  // the remark stands below, or behind where what comes next has that place
  const bool below = lines > 1 && a.next.empty();
  const std::string sum = below || a.remark.empty() ? a.sum : a.sum + " · " + a.remark;
  drawText(list, look.fonts.mono, pen, t.accentText, a.name);
  const float indent = textSize(look.fonts.mono, a.name + " ").x;
  drawText(list, look.fonts.mono, {pen.x + indent, pen.y}, t.text,
           elided(look.fonts.mono, sum, room - indent));
  if (lines < 2) return;
  drawText(list, look.fonts.mono, {pen.x + indent, pen.y + lineHeight}, t.textMuted,
           elided(look.fonts.mono, below ? a.remark : a.next, size.x - 2 * pad - indent));
}

}  // namespace headscope::ui
