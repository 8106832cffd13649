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

/// "S[sat, cat] = 25.418    raw_scores[0, 5, 2, 1] · head 6 · step 3, Score".
void nameLine(const Panel& panel, const CellRef& cell) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::string name = cellName(panel.trace, cell);
  const std::string value = " = " + number(panel.trace.value(cell), 7);
  std::string where = toString(cell);
  if (cell.head >= 0) {
    const bool kv = info(cell.tensor).kvHeads &&
                    panel.trace.config().numKvHeads < panel.trace.config().numHeads;
    where += fmt::format(" · {}head {}", kv ? "key/value " : "", cell.head + 1);
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
  ImGui::Dummy({room, valueSize.y});
}

/// One line that never wraps; the whole of it under the mouse.
void line(const Look& look, ImFont* font, ImU32 color, const std::string& text) {
  if (text.empty()) return;
  const std::string shown = elided(font, text, ImGui::GetContentRegionAvail().x);
  label(font, color, shown);
  if (shown != text) tip(look, text);
}

bool forbidden(const Explanation& e) {
  return e.cell.tensor == TensorId::maskedScores && e.value != e.terms.front().product;
}

/// The rule, the quotient of a weight, what a pin put in place of the value.
void rules(const Panel& panel, const Explanation& e) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const bool computes = !e.terms.empty() && !forbidden(e) &&
                        (e.cell.tensor != TensorId::weights || e.own() != nullptr);
  std::string remark = remarkOn(panel.trace, e);
  if (computes) {
    std::string rule = "= " + formulaOf(panel.trace, e.cell);
    if (!remark.empty()) rule += " · " + remark;
    line(look, look.fonts.monoSmall, t.text, rule);
  } else {
    line(look, look.fonts.monoSmall, t.text, remark);
  }
  line(look, look.fonts.monoSmall, t.textMuted, quotientText(e));
  if (e.pinned) {
    line(look, look.fonts.small, t.bad,
         fmt::format("pinned at {}, computed {}; the terms are those of the computed value",
                     number(e.value, 7), number(e.computed(), 7)));
  }
}

/// The sum beside the value the engine gave.
std::string totalText(const Explanation& e) {
  if (forbidden(e)) {
    return fmt::format("the score {} is not used: {} stands in its place",
                       number(e.terms.front().product, 5), number(e.value, 5));
  }
  const bool weight = e.cell.tensor == TensorId::weights;
  std::string text = fmt::format("{} of {} term{} = {}", weight ? "Σ exp" : "sum", e.terms.size(),
                                 e.terms.size() == 1 ? "" : "s", number(e.sum, 8));
  if (weight) text += fmt::format(" · computed {}", number(e.computed(), 8));
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
  trailRow(panel, cell, e);
  nameLine(panel, cell);
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
