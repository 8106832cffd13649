#include "app/ui/step_view/arithmetic_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostTerms = 6;  // of a long sum
constexpr std::size_t kShortSum = 16;  // terms

/// Returns the sum, broken into lines of this width that begin right of the cell's name.
std::string sumInLines(ImFont* font, const Arithmetic& a, float width) {
  return wrapped(font, a.sum, width - textSize(font, a.name + " ").x);
}

/// Returns the arithmetic with as many terms as fit into one line, or two. The formula is dropped
/// before the last terms are.
Arithmetic fittingArithmetic(const FrameContext& look, const Trace& trace, const Explanation& e,
                             float room, int lines) {
  const std::size_t most = e.terms.size() <= kShortSum ? e.terms.size() : kMostTerms;
  for (const bool formula : {true, false}) {
    for (std::size_t terms = most; terms > 0; --terms) {
      Arithmetic a = arithmetic(trace, e, terms, formula);
      const std::string shown = sumInLines(look.fonts.mono, a, room);
      if (std::ranges::count(shown, '\n') < lines) return a;
    }
  }
  return arithmetic(trace, e, 0, false);
}

/// Returns whether nothing stands below a cell's sum.
bool hasOnlySum(const Trace& trace, const Explanation& e) {
  const Arithmetic a = arithmetic(trace, e, 1, false);
  return a.remark.empty() && a.next.empty();
}

std::string termsLinkText(const Explanation& e) {
  return e.terms.size() > 1 ? trFormat("all {} terms", e.terms.size()) : tr("trace it back");
}

/// Draws a link with its right end at `end` that opens the terms of the cell. Returns its width.
float termsLink(const PanelContext& panel, const CellRef& cell, const std::string& text,
                ImVec2 end) {
  const FrameContext& look = panel.look;
  const ImVec2 size = textSize(look.fonts.small, text);
  const Rect at =
      Rect::at({end.x - size.x, end.y + (fontSize(look.fonts.mono) - size.y) * 0.5F}, size);
  ImGui::SetCursorScreenPos(at.a);
  const bool clicked = ImGui::InvisibleButton("terms", size);
  const ImU32 color = look.theme.accentText;
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawText(list, look.fonts.small, at.a, color, text);
  if (ImGui::IsItemHovered()) list->AddLine({at.a.x, at.b.y}, at.b, color);
  tip(look, tr("Every term, and where it comes from (T)"));
  if (clicked) {
    panel.selection.cell = cell;
    panel.selection.tool = kTermsTool;
  }
  return size.x;
}

}  // namespace

void arithmeticStrip(const PanelContext& panel, ArithmeticMemory& memory,
                     Explanations& explanations, const Rect& at) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImFont* font = look.fonts.mono;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at.a, at.b, t.accentSoft, look.space.small);
  const float lineHeight = fontSize(font) + look.px(5);
  const int lines = at.height() > 2 * lineHeight ? 2 : 1;
  const Rect text = at.inset({look.px(12), 0.0F})
                        .placed({at.width() - look.px(24), static_cast<float>(lines) * lineHeight});
  const ImVec2 pen(text.a.x, text.a.y + look.space.thin);
  const auto shown = explainedCell(panel.view);
  if (!shown || !exists(*shown, panel.trace.config())) {
    drawText(
        list, look.fonts.small, pen, t.textMuted,
        elided(look.fonts.small,
               tr("Point at a cell to see its arithmetic; click to keep it here."), text.width()));
    return;
  }
  float room = text.width();
  const Explanation* e = hasArithmetic(*shown) ? &explanations.of(panel.trace, *shown) : nullptr;
  if (e != nullptr && !e->terms.empty()) {
    room -= termsLink(panel, *shown, termsLinkText(*e), {text.b.x, pen.y}) + look.space.large;
  }
  // a sum without a remark and a next value goes on in the second line
  const bool needsSecondLine =
      lines > 1 && e != nullptr && !e->terms.empty() && hasOnlySum(panel.trace, *e);
  if (memory.pass != panel.trace.pass() || !(memory.cell == *shown) || memory.room != room) {
    memory = {*shown, panel.trace.pass(), room,
              e != nullptr ? fittingArithmetic(look, panel.trace, *e, room, needsSecondLine ? 2 : 1)
                           : operandArithmetic(panel.trace, *shown)};
  }
  const Arithmetic& a = memory.arithmetic;
  // the remark stands below, or after the sum where the next line has that place
  const bool below = lines > 1 && a.next.empty();
  const std::string sum = below || a.remark.empty() ? a.sum : a.sum + " · " + a.remark;
  drawText(list, font, pen, t.accentText, a.name);
  const float indent = textSize(font, a.name + " ").x;
  if (needsSecondLine) {
    drawText(list, font, {pen.x + indent, pen.y}, t.text, sumInLines(font, a, room));
    return;
  }
  drawText(list, font, {pen.x + indent, pen.y}, t.text, elided(font, sum, room - indent));
  if (lines < 2) return;
  // a long line begins further left, so that its end, the result, stays
  const std::string& second = below ? a.remark : a.next;
  const float from = std::clamp(text.width() - textSize(font, second).x, 0.0F, indent);
  drawText(list, font, {pen.x + from, pen.y + lineHeight}, t.textMuted,
           wholeParts(font, second, text.width() - from));
}

}  // namespace headscope::ui
