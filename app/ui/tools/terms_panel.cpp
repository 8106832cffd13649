#include "app/ui/tools/terms_panel.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "app/ui/arithmetic.h"
#include "app/ui/compat.h"
#include "app/ui/stage_items.h"
#include "app/ui/tools/trail_row.h"
#include "app/ui/trace_back.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// Clicked, else under the mouse, else the first that the step's result shows.
CellRef cellLookedAt(const Panel& panel) {
  const AttentionConfig& c = panel.trace.config();
  const ViewState& view = panel.view;
  if (view.selected && exists(*view.selected, c)) return *view.selected;
  if (view.hovered && exists(view.hovered->cell, c)) return view.hovered->cell;
  for (const StageItem& item : stageItems(view.step, c, view)) {
    if (item.result) return item.ref.cell(0, 0);
  }
  return {TensorId::output, view.item, -1, 0, 0};
}

const char* wayBack(const Explanation& e) {
  if (e.own() != nullptr) return "← along its own score";
  return e.terms.size() > 1 ? "← along the largest term" : "← to where it comes from";
}

/// One step back along the main line, at the right end of the line at `at`. Gives its width.
float backButton(const Panel& panel, const Explanation& e, ImVec2 at) {
  const auto back = mainOperand(e);
  if (!back) return 0.0F;
  const Look& look = panel.look;
  const float width =
      textSize(look.fonts.regular, wayBack(e)).x + ImGui::GetStyle().FramePadding.x * 2;
  ImGui::SetCursorScreenPos({at.x + ImGui::GetContentRegionAvail().x - width, at.y});
  if (pill(look, wayBack(e))) traceBack(panel.view, panel.trace.config(), e.cell, *back);
  tip(look, "One step back; a click on any operand below goes there instead");
  return width;
}

/// "S[sat, cat] = 25.418    raw_scores[0, 5, 2, 1] · head 6 · step 3, Score".
void nameLine(const Panel& panel, const CellRef& cell, const Explanation* e) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFrameHeight();
  const float back = e != nullptr ? backButton(panel, *e, corner) : 0.0F;
  ImGui::SetCursorScreenPos(corner);
  const float room = ImGui::GetContentRegionAvail().x - back - look.px(12);
  const ImVec2 at(corner.x, corner.y + (height - fontSize(look.fonts.mono)) * 0.5F);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::string name = cellName(panel.trace, cell);
  const std::string value = " = " + number(panel.trace.value(cell), 7);
  std::string where = toString(cell);
  if (cell.head >= 0) {
    where += " · " + headName(cell.tensor, cell.head, panel.trace.config());
  }
  if (isResult(cell.tensor)) {
    const Step& giving = stepGiving(cell.tensor);
    where += fmt::format(" · step {}, {}", static_cast<int>(giving.id()) + 1,
                         giving.text(panel.trace.config()).title);
  }
  const float nameWidth = textSize(look.fonts.mono, name).x;
  const ImVec2 valueSize = textSize(look.fonts.mono, value);
  drawText(list, look.fonts.mono, at, t.accentText, name);
  drawText(list, look.fonts.mono, {at.x + nameWidth, at.y}, t.text, value);
  const float x = nameWidth + valueSize.x + look.px(16);
  const float lower = (valueSize.y - fontSize(look.fonts.small)) * 0.6F;
  if (room - x > look.px(60)) {
    drawText(list, look.fonts.small, {at.x + x, at.y + lower}, t.textMuted,
             elided(look.fonts.small, where, room - x));
  }
  ImGui::Dummy({room, height});
}

/// One line that never wraps; the whole of it under the mouse.
void line(const Look& look, ImFont* font, ImU32 color, const std::string& text) {
  if (text.empty()) return;
  const std::string shown = elided(font, text, ImGui::GetContentRegionAvail().x);
  label(font, color, shown);
  if (shown != text) tip(look, text);
}

/// The rule, the quotient of a weight, what a pin put in place of the value.
void rules(const Panel& panel, const Explanation& e) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const std::string remark = remarkOn(panel.trace, e);
  std::string rule = quotientText(e);  // of a weight that is not masked
  if (e.cell.tensor != TensorId::weights && !isForbidden(e)) {
    rule = "= " + formulaOf(panel.trace, e.cell);
  }
  if (!rule.empty() && !remark.empty()) rule += " · ";
  line(look, look.fonts.monoSmall, t.text, rule + remark);
  if (e.pinned) {
    line(look, look.fonts.small, t.bad,
         fmt::format("pinned at {}, computed {}; the terms are those of the computed value",
                     number(e.value, 7), number(e.computed(), 7)));
  }
}

/// The sum beside the value the engine gave.
std::string totalText(const Explanation& e) {
  if (isForbidden(e)) {
    return fmt::format("the score {} is not used: {} stands in its place",
                       number(e.terms.front().product, 5), number(e.value, 5));
  }
  const bool weight = e.cell.tensor == TensorId::weights;
  // the quotient of a weight stands above already
  std::string text = weight ? fmt::format("computed {}", number(e.computed(), 8))
                            : fmt::format("sum of {} term{} = {}", e.terms.size(),
                                          e.terms.size() == 1 ? "" : "s", number(e.sum, 8));
  if (e.pinned) return text + fmt::format(" · pinned at {}", number(e.value, 8));
  const double difference = e.value - e.computed();
  return text + fmt::format(" · the engine's value {} · difference {}", number(e.value, 8),
                            difference == 0.0 ? "0" : fmt::format("{:.1e}", difference));
}

}  // namespace

void termsPanel(const Panel& panel, TermsMemory& memory, Explanations& explanations) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const CellRef cell = cellLookedAt(panel);
  const Explanation* e = isResult(cell.tensor) ? &explanations.of(panel.trace, cell) : nullptr;
  trailRow(panel, cell);
  nameLine(panel, cell, e);
  if (e == nullptr) {
    line(look, look.fonts.small, t.text, originOf(panel.trace, cell));
    line(look, look.fonts.small, t.textMuted,
         "Its arithmetic ends here: it is given, not computed.");
    return;
  }
  rules(panel, *e);
  if (e->terms.empty()) return;
  const float total = fontSize(look.fonts.monoSmall) + look.px(8);
  const auto followed =
      termTable(panel, memory.table, *e, ImGui::GetContentRegionAvail().y - total);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(at, {at.x + ImGui::GetContentRegionAvail().x, at.y},
                                      t.divider);
  ImGui::SetCursorScreenPos({at.x, at.y + look.px(3)});
  line(look, look.fonts.monoSmall, t.text, totalText(*e));
  if (followed) traceBack(panel.view, panel.trace.config(), cell, *followed);
}

}  // namespace headscope::ui
