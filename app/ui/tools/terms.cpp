// Terms: the origin of a number: a cell, all terms of its arithmetic in any order, and the trail of
// cells traced back. The operands of a term light up on the step view and can be followed.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/table.h"
#include "app/ui/preferences.h"
#include "app/ui/selection.h"
#include "app/ui/step_view/step_view_items.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/steps/softmax_row.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/arithmetic.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr int kTermDigits = 5;

/// The part of a term that a column shows.
enum class TermPart {
  index,
  left,
  right,
  product,
  sum,
  key,
  score,
  difference,
  exponential,
  share,
  bar
};

struct TermTableColumn {
  TermPart part;
  TermColumn by;
  const char* title;
  const char* about;
  float least;  // width in points at scale 1
  float grows;  // share of the width left over
};

constexpr std::array kProductColumns{
    TermTableColumn{TermPart::index, TermColumn::index, trLater("term"), trLater("Sort by index"),
                    42, 0},
    TermTableColumn{TermPart::left, TermColumn::left, trLater("left"),
                    trLater("Sort by the left operand"), 0, 3},
    TermTableColumn{TermPart::right, TermColumn::right, trLater("right"),
                    trLater("Sort by the right operand"), 0, 3},
    TermTableColumn{TermPart::product, TermColumn::product, trLater("product"),
                    trLater("Sort by product"), 76, 0},
    TermTableColumn{TermPart::sum, TermColumn::index, trLater("running sum"),
                    trLater("The sum so far, in the order shown"), 86, 0},
    TermTableColumn{TermPart::bar, TermColumn::contribution, trLater("contribution"),
                    trLater("Sort by the size of the product"), 0, 2},
};

constexpr std::array kSoftmaxColumns{
    TermTableColumn{TermPart::index, TermColumn::index, trLater("term"), trLater("Sort by index"),
                    42, 0},
    TermTableColumn{TermPart::key, TermColumn::index, trLater("key"), trLater("Sort by index"), 0,
                    2},
    TermTableColumn{TermPart::score, TermColumn::left, trLater("score"), trLater("Sort by score"),
                    76, 0},
    TermTableColumn{TermPart::difference, TermColumn::left, trLater("score − max"),
                    trLater("Sort by score"), 86, 0},
    TermTableColumn{TermPart::exponential, TermColumn::product, trLater("exp"),
                    trLater("exp(score − max). Sort by exponential"), 76, 0},
    TermTableColumn{TermPart::share, TermColumn::product, trLater("share"),
                    trLater("exp / Σ exp. Sort by exponential"), 76, 0},
    TermTableColumn{TermPart::bar, TermColumn::contribution, "", trLater("Sort by share"), 0, 2},
};

bool isTextPart(TermPart part) {
  return part == TermPart::left || part == TermPart::right || part == TermPart::key ||
         part == TermPart::bar;
}

/// The terms in the shown order.
struct OrderedTerms {
  std::vector<std::uint32_t> order;
  std::vector<double> sums;
  double largest = 0.0;
};

OrderedTerms orderedTerms(const Explanation& e, const TermOrder& by) {
  OrderedTerms ordered;
  ordered.order = orderOf(e.terms, by);
  ordered.sums = runningSums(e.terms, ordered.order);
  for (const Term& term : e.terms) {
    ordered.largest = std::max(ordered.largest, std::abs(term.product));
  }
  return ordered;
}

class TermTable {
 public:
  TermTable(const PanelContext& panel, const Explanation& e, const OrderedTerms& terms)
      : panel_(panel),
        look_(panel.look),
        e_(e),
        terms_(terms),
        softmax_(e.ending == ExplanationForm::share),
        columns_(softmax_ ? std::span<const TermTableColumn>(kSoftmaxColumns)
                          : std::span<const TermTableColumn>(kProductColumns)) {}

  /// Returns the operand that was clicked.
  std::optional<CellRef> draw(float height) {
    TermOrder& order = panel_.preferences.termOrder;
    std::vector<TableColumn> columns;
    TableSetting setting{"terms", std::max(height, look_.px(20))};
    for (const TermTableColumn& c : columns_) {
      // the sort mark stands at the first of the columns that share an order
      if (c.by == order.by && !setting.sort) setting.sort = {columns.size(), order.descending};
      columns.push_back({tr(c.title), tr(c.about), !isTextPart(c.part), c.least, c.grows,
                         c.part != TermPart::sum});
    }
    Table table(look_, setting, std::move(columns));
    table.rows(static_cast<Index>(terms_.order.size()),
               [&](Index shown) { row(table, static_cast<std::size_t>(shown)); });
    if (const auto heading = table.clickedHeading()) order = clicked(order, columns_[*heading].by);
    return followed_;
  }

 private:
  void row(Table& table, std::size_t shown) {
    const std::uint32_t index = terms_.order[shown];
    const Term& term = e_.terms[index];
    const CellRef* second = term.cells.size() > 1 ? &term.cells[1] : nullptr;
    table.row(static_cast<Index>(index), softmax_ && e_.own() == &term);
    if (table.rowHovered()) panel_.frame.pointed = term.cells;
    ImGui::PushID(static_cast<int>(index));
    for (const TermTableColumn& column : columns_) {
      switch (column.part) {
        case TermPart::index:
          table.number(std::to_string(index), look_.theme.textMuted);
          break;
        case TermPart::left:
          operand(table, leftName(panel_.trace, term), term.leftValue,
                  term.cells.empty() ? nullptr : &term.cells.front());
          break;
        case TermPart::right:
          operand(table, rightName(panel_.trace, term), term.rightValue, second);
          break;
        case TermPart::key:
          if (term.cells.empty()) {  // a sink
            operand(table, term.left, std::nullopt, nullptr);
          } else {
            operand(table, competitor(term.cells.front()), std::nullopt, &term.cells.front());
          }
          break;
        case TermPart::sum:
          table.number(number(terms_.sums[shown], kTermDigits), look_.theme.textMuted);
          break;
        case TermPart::bar:
          bar(table, term.product);
          break;
        default:
          table.number(number(figure(column.part, term), kTermDigits));
          break;
      }
    }
    ImGui::PopID();
  }

  double figure(TermPart part, const Term& term) const {
    switch (part) {
      case TermPart::score:
        return term.leftValue;
      case TermPart::difference:
        return term.leftValue - term.rightValue;
      case TermPart::share:
        return softmaxShare(term.product, e_.sum);
      default:
        return term.product;
    }
  }

  /// The name of a score's competitor in the softmax: its key, or by mistake its query.
  std::string competitor(const CellRef& score) const {
    const bool down = panel_.trace.config().mistakes.softmaxOverQueries;
    return placeName(panel_.trace, down ? Axis::query : Axis::key, score.item,
                     down ? score.row : score.col);
  }

  /// Draws an operand's name and value. A click follows an operand that is a cell.
  void operand(Table& table, const std::string& name, std::optional<double> value,
               const CellRef* cell) {
    const std::string about =
        cell != nullptr ? trFormat("{}: click to go there", toString(*cell)) : std::string();
    if (table.link(name, value ? number(*value, kTermDigits) : "", about)) followed_ = *cell;
  }

  /// Draws the term's share of the largest term, in the colours of values.
  void bar(Table& table, double product) const {
    const auto share = product == 0.0 ? 0.0F : static_cast<float>(product / terms_.largest);
    const ColorScale scale =
        softmax_ ? sequentialScale(look_, 0.0F, 1.0F) : divergingScale(look_, 1.0F);
    table.bar(std::abs(share),
              scale.color(look_.maps, share * 0.75F + (share < 0.0F ? -0.25F : 0.25F)));
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const Explanation& e_;
  const OrderedTerms& terms_;
  bool softmax_;
  std::span<const TermTableColumn> columns_;
  std::optional<CellRef> followed_;
};

constexpr const char* kBetweenCrumbs = " › ";

/// Draws the trail of traced cells on one line; nothing where it has only this cell.
void trailRow(const PanelContext& panel, const CellRef& cell) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImFont* font = look.fonts.small;
  const AttentionConfig& c = panel.trace.config();
  const std::vector<CellRef> trail = trailTo(panel.selection, c, cell);
  if (trail.size() < 2) return;
  const Rect line = Rect::at(ImGui::GetCursorScreenPos(),
                             {ImGui::GetContentRegionAvail().x, fontSize(font) + look.space.thin});

  // the last cells that fit; one "…" stands for those before them
  const float between = textSize(font, kBetweenCrumbs).x;
  const float dots = textSize(font, "…").x + between;
  std::vector<std::string> names;
  for (const CellRef& crumb : trail) names.push_back(cellName(panel.trace, crumb));
  std::size_t first = trail.size();
  float used = 0.0F;
  while (first > 0) {
    const float width = textSize(font, names[first - 1]).x + between;
    const float all = used + width + (first > 1 ? dots : 0.0F);
    if (first < trail.size() && all > line.width()) break;
    used += width;
    --first;
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::PushID("trail");
  ImVec2 pen = line.a;
  for (std::size_t i = first > 0 ? first - 1 : 0; i < trail.size(); ++i) {
    const bool last = i + 1 == trail.size();
    const std::string name = i < first ? "…" : elided(font, names[i], line.width());
    const ImVec2 size = textSize(font, name);
    ImGui::SetCursorScreenPos(pen);
    ImGui::PushID(static_cast<int>(i));
    const bool pressed = ImGui::InvisibleButton("crumb", size);
    ImGui::PopID();
    drawText(list, font, pen, last ? t.text : t.accentText, name);
    if (!last && ImGui::IsItemHovered()) {
      list->AddLine({pen.x, pen.y + size.y}, {pen.x + size.x, pen.y + size.y}, t.accentText);
    }
    tip(look, toString(trail[i]) + (last ? "" : tr(": back to it (Backspace: one back)")));
    if (pressed && !last) returnTo(panel.view, c, i);
    pen.x += size.x;
    if (!last) drawText(list, font, pen, t.textMuted, kBetweenCrumbs);
    pen.x += between;
  }
  ImGui::PopID();
  ImGui::SetCursorScreenPos(line.a);
  ImGui::Dummy(line.size());
}

/// Returns the explained cell, or else the first cell of the step's result.
CellRef cellLookedAt(const PanelContext& panel) {
  const AttentionConfig& c = panel.trace.config();
  if (const auto cell = explainedCell(panel.view); cell && exists(*cell, c)) return *cell;
  for (const StepViewItem& item : stepViewItems(panel.selection.step, c, panel.view)) {
    if (item.result) return item.ref.cell(0, 0);
  }
  return {TensorId::output, panel.selection.item, -1, 0, 0};
}

const char* wayBack(const Explanation& e) {
  if (e.own() != nullptr) return tr("← along its own score");
  return e.terms.size() > 1 ? tr("← along the largest term") : tr("← to its source");
}

/// Draws a button at the right end of a line that goes one step back along the main operand.
void backButton(const PanelContext& panel, const Explanation& e, Rect& line) {
  const auto back = mainOperand(e);
  if (!back) return;
  const FrameContext& look = panel.look;
  const float width = buttonWidth(look, wayBack(e));
  ImGui::SetCursorScreenPos(line.cutRight(width, look.space.medium).a);
  if (pill(look, wayBack(e))) traceBack(panel.view, panel.trace.config(), e.cell, *back);
  tip(look, tr("One step back; click any operand below to go there instead"));
}

/// Returns the place of a cell: "raw_scores[0, 5, 2, 1] · head 6 · step 3, Score".
std::string whereInWords(const AttentionConfig& c, const CellRef& cell) {
  std::string where = toString(cell);
  if (cell.head >= 0) {
    const bool kv = info(cell.tensor).kvHeads && c.numKvHeads < c.numHeads;
    where += trFormat(" · {}head {}", kv ? "key/value " : "", cell.head + 1);
  }
  if (!hasArithmetic(cell)) return where;
  const Step& giving =
      cell.gradient ? *consumersOf(cell.tensor, c).front() : producerOf(cell.tensor);
  return where + trFormat(" · step {}, {}{}", stepPlace(giving.id(), c) + 1, giving.text(c).title,
                          cell.gradient ? ", backward" : "");
}

/// Draws "S[sat, cat] = 25.418" and the place of the cell.
void nameLine(const PanelContext& panel, const CellRef& cell, const Explanation* e) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const Rect all = Rect::at(ImGui::GetCursorScreenPos(),
                            {ImGui::GetContentRegionAvail().x, ImGui::GetFrameHeight()});
  Rect line = all;
  if (e != nullptr) backButton(panel, *e, line);
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* mono = look.fonts.mono;
  ImFont* small = look.fonts.small;
  const auto write = [&](ImFont* font, ImU32 color, const std::string& text, float gap) {
    const Rect at = line.cutLeft(textSize(font, text).x, gap);
    drawText(list, font, {at.a.x, at.centre().y - fontSize(font) * 0.5F}, color, text);
  };
  write(mono, t.accentText, cellName(panel.trace, cell), 0.0F);
  write(mono, t.text, " = " + number(panel.trace.value(cell), 7), look.space.large);
  if (line.width() > look.px(60)) {
    const std::string where = whereInWords(panel.trace.config(), cell);
    write(small, t.textMuted, elided(small, where, line.width()), 0.0F);
  }
  ImGui::SetCursorScreenPos(all.a);
  ImGui::Dummy(all.size());
}

/// Draws one line that never wraps; its tooltip has the whole text.
void elidedLine(const FrameContext& look, ImFont* font, ImU32 color, const std::string& text) {
  if (text.empty()) return;
  const std::string shown = elided(font, text, ImGui::GetContentRegionAvail().x);
  label(font, color, shown);
  if (shown != text) tip(look, text);
}

/// Draws the formula, the quotient of a weight, and the value of a pin next to the computed one.
void rulesOf(const PanelContext& panel, const Explanation& e) {
  const FrameContext& look = panel.look;
  const std::string remark = remarkOn(panel.trace, e);
  std::string rule = quotientText(e);  // for a weight that is not masked
  if (!e.cell.gradient && e.cell.tensor != TensorId::weights && !isForbidden(panel.trace, e)) {
    rule = "= " + formulaOf(panel.trace, e);
  }
  if (!rule.empty() && !remark.empty()) rule += " · ";
  elidedLine(look, look.fonts.monoSmall, look.theme.text, rule + remark);
  if (!e.pinned) return;
  elidedLine(look, look.fonts.small, look.theme.bad,
             trFormat("pinned at {}, computed {}; the terms are those of the computed value",
                      number(e.value, 7), number(e.computed(), 7)));
}

/// Returns the sum of the terms, compared with the engine's value.
std::string totalInWords(const Trace& trace, const Explanation& e) {
  if (isForbidden(trace, e)) {
    return trFormat("the score {} is not used: {} replaces it", number(e.terms.front().product, 5),
                    number(e.value, 5));
  }
  const bool ended = e.ending != ExplanationForm::sum;
  // the quotient of a weight stands above already
  std::string text =
      ended ? trFormat("computed {}", number(e.computed(), 8))
            : fmt::format("{} = {}",
                          counted(std::ssize(e.terms), tr("sum of {} term"), tr("sum of {} terms")),
                          number(e.sum, 8));
  if (e.pinned) return text + trFormat(" · pinned at {}", number(e.value, 8));
  const double difference = e.value - e.computed();
  return text + trFormat(" · the engine's value {} · difference {}", number(e.value, 8),
                         difference == 0.0 ? "0" : fmt::format("{:.1e}", difference));
}

class TermsTool final : public Card {
 public:
  TermsTool()
      : Card({kTermsTool, tr("Terms"), tr("how a number is computed, term by term"), 'T'}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const Theme& t = look.theme;
    const CellRef cell = cellLookedAt(panel);
    const Explanation* e =
        hasArithmetic(cell) ? &panel.explanations.of(panel.trace, cell) : nullptr;
    trailRow(panel, cell);
    nameLine(panel, cell, e);
    if (e == nullptr) {
      elidedLine(look, look.fonts.small, t.text, originOf(panel.trace, cell));
      elidedLine(look, look.fonts.small, t.textMuted,
                 tr("Its arithmetic ends here: it is given, not computed."));
      return;
    }
    rulesOf(panel, *e);
    if (e->terms.empty()) return;
    const TermOrder& order = panel.preferences.termOrder;
    const Fingerprint key("terms", panel.trace.pass(), cell.tensor, cell.item, cell.head, cell.row,
                          cell.col, cell.gradient, order.by, order.descending);
    const auto* terms = panel.computations.computeNow<OrderedTerms>(
        "ordered terms", key, [&] { return orderedTerms(*e, order); });
    if (terms == nullptr) return;
    Rect room = Rect::rest();
    const Rect total = room.cutBottom(fontSize(look.fonts.monoSmall) + look.space.tight);
    const auto followed = TermTable(panel, *e, *terms).draw(room.height() - look.space.tight);
    ImGui::GetWindowDrawList()->AddLine(total.a, {total.b.x, total.a.y}, t.divider);
    ImGui::SetCursorScreenPos({total.a.x, total.a.y + look.space.thin});
    elidedLine(look, look.fonts.monoSmall, t.text, totalInWords(panel.trace, *e));
    if (followed) traceBack(panel.view, panel.trace.config(), cell, *followed);
  }

  std::vector<Shortcut> shortcuts() const override {
    return {{"b", tr("back along the largest term")}};
  }

  /// The key B goes one step back along the largest term of the chosen cell.
  bool keys(const PanelContext& panel, bool /*inSight*/) override {
    const auto cell = panel.selection.cell;
    if (!keyPressed(Key{'B'}, false) || !cell || !hasArithmetic(*cell)) return false;
    const auto operand = mainOperand(panel.explanations.of(panel.trace, *cell));
    if (operand) traceBack(panel.view, panel.trace.config(), *cell, *operand);
    return operand.has_value();
  }
};

}  // namespace

std::unique_ptr<Card> makeTermsTool() { return std::make_unique<TermsTool>(); }

}  // namespace headscope::ui
