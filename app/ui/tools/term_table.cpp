#include "app/ui/tools/term_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "app/ui/compat.h"
#include "app/ui/matrix_view.h"
#include "app/ui/widgets.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr int kDigits = 5;

/// What a column shows of a term; the order a click on its heading gives.
enum class Shows {
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

struct Column {
  Shows shows;
  const char* title;
  TermColumn by;
  float least;  // width in points at scale 1
  float grows;  // share of what is left over
  const char* about;
};

constexpr std::array kProductColumns{
    Column{Shows::index, "term", TermColumn::index, 56, 0, "Sort by index"},
    Column{Shows::left, "left", TermColumn::left, 110, 2, "Sort by the left operand"},
    Column{Shows::right, "right", TermColumn::right, 110, 2, "Sort by the right operand"},
    Column{Shows::product, "product", TermColumn::product, 70, 0.4F, "Sort by product"},
    Column{Shows::sum, "running sum", TermColumn::index, 82, 0.4F,
           "The sum so far, in the order shown"},
    Column{Shows::bar, "contribution", TermColumn::contribution, 74, 1.2F,
           "Sort by the size of the product"},
};

constexpr std::array kSoftmaxColumns{
    Column{Shows::index, "term", TermColumn::index, 56, 0, "Sort by index"},
    Column{Shows::key, "key", TermColumn::index, 70, 1, "Sort by index"},
    Column{Shows::score, "score", TermColumn::left, 70, 0.5F, "Sort by score"},
    Column{Shows::difference, "score − max", TermColumn::left, 82, 0.5F, "Sort by score"},
    Column{Shows::exponential, "exp", TermColumn::product, 70, 0.5F,
           "exp(score − max). Sort by exponential"},
    Column{Shows::share, "share", TermColumn::product, 70, 0.5F,
           "exp / Σ exp. Sort by exponential"},
    Column{Shows::bar, "", TermColumn::contribution, 60, 1.2F, "Sort by share"},
};

class Table {
 public:
  Table(const Panel& panel, const TermTableMemory& memory, const Explanation& e)
      : panel_(panel),
        look_(panel.look),
        memory_(memory),
        e_(e),
        softmax_(e.cell.tensor == TensorId::weights),
        columns_(softmax_ ? std::span<const Column>(kSoftmaxColumns)
                          : std::span<const Column>(kProductColumns)) {}

  std::optional<CellRef> draw(float height) {
    const float width = ImGui::GetContentRegionAvail().x - look_.px(12);  // but the scroll bar
    place(width);
    const float head = headings();
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    ImGui::BeginChild("terms", {0, std::max(height - head, look_.px(20))}, false);
    const float line = fontSize(look_.fonts.monoSmall) + look_.px(6);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(memory_.order.size()), line);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        row(static_cast<std::size_t>(i), width, line);
      }
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
    return followed_;
  }

 private:
  void place(float width) {
    float least = 0.0F;
    float grows = 0.0F;
    for (const Column& c : columns_) {
      least += look_.px(c.least);
      grows += c.grows;
    }
    const float more = (width - least) / grows;
    float x = 0.0F;
    for (const Column& c : columns_) {
      starts_.push_back(x);
      x += std::max(look_.px(c.least) + more * c.grows, look_.px(24));
    }
    starts_.push_back(x);
  }
  float gap() const { return look_.px(14); }
  float start(std::size_t column) const { return starts_[column]; }
  float end(std::size_t column) const { return starts_[column + 1] - gap(); }
  static bool isText(Shows shows) {
    return shows == Shows::index || shows == Shows::left || shows == Shows::right ||
           shows == Shows::key || shows == Shows::bar;
  }

  /// Gives their height.
  float headings() {
    const Theme& t = look_.theme;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = fontSize(look_.fonts.small) + look_.px(6);
    ImDrawList* list = ImGui::GetWindowDrawList();
    TermOrder& now = panel_.view.termOrder;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& c = columns_[i];
      const bool sorts = c.shows != Shows::sum;
      ImGui::SetCursorScreenPos({at.x + start(i), at.y});
      ImGui::PushID(static_cast<int>(i));
      const bool pressed = ImGui::InvisibleButton("by", {end(i) - start(i), line});
      ImGui::PopID();
      tip(look_, c.about);
      const bool hovered = sorts && ImGui::IsItemHovered();
      std::string title = c.title;
      if (sorts && isSortedBy(i)) title += now.descending ? " ▾" : " ▴";
      title = elided(look_.fonts.small, title, end(i) - start(i));
      const float x =
          isText(c.shows) ? at.x + start(i) : at.x + end(i) - textSize(look_.fonts.small, title).x;
      drawText(list, look_.fonts.small, {x, at.y + look_.px(2)}, hovered ? t.text : t.textMuted,
               title);
      if (sorts && pressed) now = clicked(now, c.by);
    }
    const float y = at.y + line;
    list->AddLine({at.x, y}, {at.x + starts_.back(), y}, t.divider);
    ImGui::SetCursorScreenPos({at.x, y + look_.px(1)});
    return line + look_.px(1);
  }

  /// The mark stands at the first of the columns that share an order.
  bool isSortedBy(std::size_t column) const {
    const TermColumn by = panel_.view.termOrder.by;
    for (std::size_t i = 0; i < column; ++i) {
      if (columns_[i].by == by) return false;
    }
    return columns_[column].by == by;
  }

  void row(std::size_t shown, float width, float line) {
    const std::uint32_t index = memory_.order[shown];
    const Term& term = e_.terms[index];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 corner(at.x + width, at.y + line);
    const bool own = softmax_ && e_.own() == &term;
    const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, corner);
    if (hovered || own) {
      list->AddRectFilled(at, corner, hovered ? look_.theme.field : look_.theme.accentSoft,
                          look_.px(3));
    }
    if (hovered) panel_.view.pointed = term.cells;
    ImGui::PushID(static_cast<int>(index));
    for (std::size_t i = 0; i < columns_.size(); ++i) cell(i, shown, index, at, line);
    ImGui::PopID();
    ImGui::SetCursorScreenPos({at.x, at.y});
    ImGui::Dummy({width, line});
  }

  void cell(std::size_t column, std::size_t shown, std::uint32_t index, ImVec2 at, float line) {
    const Term& term = e_.terms[index];
    const Theme& t = look_.theme;
    switch (columns_[column].shows) {
      case Shows::index:
        text(column, at, line, t.textMuted, std::to_string(index));
        break;
      case Shows::left:
        operand(column, at, line, leftName(panel_.trace, term), term.leftValue,
                &term.cells.front());
        break;
      case Shows::right:
        operand(column, at, line, rightName(panel_.trace, term), term.rightValue,
                term.cells.size() > 1 ? &term.cells[1] : nullptr);
        break;
      case Shows::product:
        text(column, at, line, t.text, number(term.product, kDigits));
        break;
      case Shows::sum:
        text(column, at, line, t.textMuted, number(memory_.sums[shown], kDigits));
        break;
      case Shows::key:
        operand(column, at, line, competitor(term.cells.front()), std::nullopt,
                &term.cells.front());
        break;
      case Shows::score:
        text(column, at, line, t.text, number(term.leftValue, kDigits));
        break;
      case Shows::difference:
        text(column, at, line, t.text, number(term.leftValue - term.rightValue, kDigits));
        break;
      case Shows::exponential:
        text(column, at, line, t.text, number(term.product, kDigits));
        break;
      case Shows::share:
        text(column, at, line, t.text, number(term.product / e_.sum, kDigits));
        break;
      case Shows::bar:
        bar(column, at, line, term.product);
        break;
    }
  }

  /// The key of a score, or by mistake its query: what it competes against.
  std::string competitor(const CellRef& score) const {
    const bool down = panel_.trace.config().mistakes.softmaxOverQueries;
    return placeName(panel_.trace, down ? Axis::query : Axis::key, score.item,
                     down ? score.row : score.col);
  }

  void text(std::size_t column, ImVec2 at, float line, ImU32 color, const std::string& what) const {
    const ImVec2 size = textSize(look_.fonts.monoSmall, what);
    const float x = isText(columns_[column].shows) ? start(column) : end(column) - size.x;
    drawText(ImGui::GetWindowDrawList(), look_.fonts.monoSmall,
             {at.x + x, at.y + (line - size.y) * 0.5F}, color, what);
  }

  /// An operand's name and value; a click follows it, where it is a cell.
  void operand(std::size_t column, ImVec2 at, float line, const std::string& name,
               std::optional<double> value, const CellRef* cell) {
    const Theme& t = look_.theme;
    ImFont* font = look_.fonts.monoSmall;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float x = at.x + start(column);
    float room = end(column) - start(column);
    bool hovered = false;
    if (cell != nullptr) {
      ImGui::SetCursorScreenPos({x, at.y});
      ImGui::PushID(static_cast<int>(column));
      if (ImGui::InvisibleButton("follow", {room, line})) followed_ = *cell;
      hovered = ImGui::IsItemHovered();
      tip(look_, fmt::format("{}: click to go there", toString(*cell)));
      ImGui::PopID();
    }
    if (value) {
      const std::string shown = number(*value, kDigits);
      const ImVec2 size = textSize(font, shown);
      drawText(list, font, {x + room - size.x, at.y + (line - size.y) * 0.5F}, t.text, shown);
      room -= size.x + look_.px(8);
    }
    const std::string shown = elided(font, name, room);
    const ImVec2 size = textSize(font, shown);
    const ImVec2 pen(x, at.y + (line - size.y) * 0.5F);
    drawText(list, font, pen, cell != nullptr ? t.accentText : t.textMuted, shown);
    if (hovered) {
      list->AddLine({pen.x, pen.y + size.y}, {pen.x + size.x, pen.y + size.y}, t.accentText);
    }
  }

  /// Its share of the largest term, in the colours of values.
  void bar(std::size_t column, ImVec2 at, float line, double product) const {
    if (product == 0.0) return;
    const auto share = static_cast<float>(product / memory_.largest);
    const ColorScale scale =
        colorScale(look_, panel_.view, softmax_ ? TensorId::weights : TensorId::rawScores, 1.0F);
    const float length = std::abs(share) * (end(column) - start(column));
    const ImVec2 a(at.x + start(column), at.y + line * 0.25F);
    ImGui::GetWindowDrawList()->AddRectFilled(
        a, {a.x + std::max(length, 1.0F), at.y + line * 0.75F},
        scale.color(look_.maps, share * 0.75F + (share < 0.0F ? -0.25F : 0.25F)), look_.px(2));
  }

  const Panel& panel_;
  const Look& look_;
  const TermTableMemory& memory_;
  const Explanation& e_;
  bool softmax_;
  std::span<const Column> columns_;
  std::vector<float> starts_;
  std::optional<CellRef> followed_;
};

}  // namespace

std::optional<CellRef> termTable(const Panel& panel, TermTableMemory& memory, const Explanation& e,
                                 float height) {
  const TermOrder& wanted = panel.view.termOrder;
  const bool sameTerms = memory.pass == panel.trace.pass() && memory.cell == e.cell;
  if (!sameTerms || memory.ordered != wanted) {
    memory.cell = e.cell;
    memory.pass = panel.trace.pass();
    memory.ordered = wanted;
    memory.order = orderOf(e.terms, wanted);
    memory.sums = runningSums(e.terms, memory.order);
    memory.largest = 0.0;
    for (const Term& term : e.terms) {
      memory.largest = std::max(memory.largest, std::abs(term.product));
    }
  }
  return Table(panel, memory, e).draw(height);
}

}  // namespace headscope::ui
