#include "app/ui/heads/metrics_table.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/heads/figure_words.h"
#include "app/ui/heads/metric_definition.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

struct Column {
  std::string key;  // as HeadsView::tableSort
  std::string title;
  std::optional<Metric> metric;  // else the number or the label
  float start = 0.0F, width = 0.0F;
};

class Table {
 public:
  Table(const Panel& panel, const HeadReport& report)
      : panel_(panel),
        look_(panel.look),
        report_(report),
        line_(fontSize(look_.fonts.monoSmall) + look_.px(6)),
        head_(fontSize(look_.fonts.small) + look_.px(8)) {
    place();
    const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
    if (panel.view.heads.enlarged == EnlargedCard::figures && width() > room) stack(room);
  }

  /// With all rows and the bar to scroll by.
  float wholeHeight() const {
    return head_ + rowHeight() * static_cast<float>(heads()) + ImGui::GetStyle().ScrollbarSize;
  }

  TablePointed draw(float height) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    beginPart("metrics", {0, height}, ImGuiWindowFlags_HorizontalScrollbar);
    const ImVec2 extent(width(), head_ + rowHeight() * static_cast<float>(heads()));
    origin_ = ImGui::GetCursorScreenPos();
    corner_ = ImGui::GetWindowPos();
    shown_ = {ImGui::GetWindowSize().x - (bar(ImGui::GetScrollMaxY())),
              ImGui::GetWindowSize().y - (bar(ImGui::GetScrollMaxX()))};
    headingButtons();
    rows();
    headings();
    ImGui::SetCursorScreenPos(origin_);
    ImGui::Dummy(extent);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    return pointed_;
  }

 private:
  static float bar(float scrollable) {
    return scrollable > 0.0F ? ImGui::GetStyle().ScrollbarSize : 0.0F;
  }
  Index heads() const { return static_cast<Index>(report_.metrics.size()); }
  const HeadLabel& labelOf(Index head) const {
    return report_.labels[static_cast<std::size_t>(head)];
  }
  float width() const { return columns_.back().start + columns_.back().width; }
  /// Labels above the figures: a head then takes two lines.
  float rowHeight() const { return line_ * (stacked_ ? 2.0F : 1.0F); }
  ImFont* titleFont() const { return stacked_ ? look_.fonts.tiny : look_.fonts.small; }
  bool isSortedBy(const Column& column) const { return column.key == panel_.view.heads.tableSort; }
  std::string shownTitle(const Column& column) const {
    if (!isSortedBy(column)) return column.title;
    return column.title + (panel_.view.heads.tableDescending ? " ▾" : " ▴");
  }

  void place() {
    ImFont* font = look_.fonts.small;
    columns_.push_back({"", "#", {}});
    columns_.push_back({std::string(kByLabel), "label", {}});
    for (const MetricInfo& m : allMetrics()) {
      columns_.push_back({std::string(m.key), std::string(m.column), m.metric});
    }
    const float mark = textSize(font, " ▾").x;
    const float figure = textSize(look_.fonts.monoSmall, "0.0000").x;
    float x = 0.0F;
    for (Column& column : columns_) {
      float inner = std::max(textSize(font, column.title).x + mark, figure);
      if (column.key.empty()) inner = textSize(font, "000").x + mark;
      if (column.key == kByLabel) inner = std::max(inner, labelWidth());
      column.start = x;
      column.width = inner + look_.px(10);
      x += column.width;
    }
  }
  /// All figures beside each other in this width, as far as it can be; labels above them.
  void stack(float room) {
    stacked_ = true;
    columns_[1].width = room - columns_.front().width;
    const float mark = textSize(titleFont(), " ▾").x;
    const float figure = textSize(look_.fonts.monoSmall, "<0.001").x;
    float needed = 0.0F;
    for (std::size_t i = 2; i < columns_.size(); ++i) {
      const float title = textSize(titleFont(), columns_[i].title).x + mark;
      columns_[i].width = std::max(title, figure) + look_.px(4);
      needed += columns_[i].width;
    }
    const auto count = static_cast<float>(columns_.size() - 2);
    const float spare = std::max(0.0F, (room - needed) / count);
    float x = 0.0F;
    for (std::size_t i = 2; i < columns_.size(); ++i) {
      columns_[i].start = x;
      columns_[i].width += spare;
      x += columns_[i].width;
    }
    head_ *= 2.0F;
  }
  float rightPad() const { return look_.px(stacked_ ? 4.0F : 10.0F); }

  float labelWidth() const {
    float widest = 0.0F;
    for (const HeadLabel& label : report_.labels) {
      widest = std::max(widest, textSize(look_.fonts.small, labelWithScore(label)).x);
    }
    return std::min(widest, look_.px(170));
  }

  /// Where a column stands: the numbers of heads stay where they are.
  float left(const Column& column) const {
    return column.key.empty() ? corner_.x : origin_.x + column.start;
  }

  /// Before the rows, so that they take the mouse where rows lie under them.
  void headingButtons() {
    for (const Column& column : columns_) {
      ImGui::SetCursorScreenPos({left(column), headingTop(column)});
      ImGui::PushID(column.title.c_str());
      const bool clicked = ImGui::InvisibleButton("sort", {column.width, headingHeight()});
      const bool hovered = ImGui::IsItemHovered();
      hovered_.push_back(hovered);
      if (hovered && column.metric) pointed_.metric = column.metric;
      if (hovered && column.key == kByLabel) pointed_.label = true;
      tip(look_, column.metric            ? definitionText(*column.metric)
                 : column.key == kByLabel ? std::string("what the head is called by its metrics, "
                                                        "with the score that the rule asks for")
                                          : std::string("the heads by number"));
      ImGui::PopID();
      if (clicked) sortTableBy(panel_.view.heads, column.key);
    }
  }

  float headingHeight() const { return stacked_ ? head_ * 0.5F : head_; }
  /// Those of figures stand below that of labels where they do.
  float headingTop(const Column& column) const {
    return corner_.y + (stacked_ && column.metric ? headingHeight() : 0.0F);
  }

  void headings() {
    const Theme& t = look_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(corner_, {corner_.x + shown_.x, corner_.y + head_}, t.panel);
    const Column& number = columns_.front();
    const float under = corner_.x + (stacked_ ? 0.0F : number.width);
    list->PushClipRect({under, corner_.y}, {corner_.x + shown_.x, corner_.y + head_}, true);
    for (std::size_t i = 1; i < columns_.size(); ++i) heading(i);
    list->PopClipRect();
    heading(0);
    const float y = corner_.y + head_ - look_.px(2);
    list->AddLine({corner_.x, y}, {corner_.x + shown_.x, y}, t.divider);
  }
  void heading(std::size_t i) const {
    const Column& column = columns_[i];
    const Theme& t = look_.theme;
    const std::string title = shownTitle(column);
    ImFont* font = column.metric ? titleFont() : look_.fonts.small;
    const float x = column.metric
                        ? left(column) + column.width - rightPad() - textSize(font, title).x
                        : left(column);
    drawText(ImGui::GetWindowDrawList(), font, {x, headingTop(column) + look_.px(2)},
             hovered_[i] || isSortedBy(column) ? t.text : t.textMuted, title);
  }

  void rows() {
    const HeadsView& view = panel_.view.heads;
    const std::vector<Index> order = headsInOrder(report_, view.tableSort, view.tableDescending);
    float y = origin_.y + head_;
    for (const Index head : order) {
      ImGui::SetCursorScreenPos({corner_.x, y});
      ImGui::PushID(static_cast<int>(head));
      if (ImGui::InvisibleButton("row", {shown_.x, rowHeight()})) panel_.view.head = head;
      const bool hovered = ImGui::IsItemHovered();
      ImGui::PopID();
      if (hovered) pointAt(head, y);
      if (y + rowHeight() > corner_.y && y < corner_.y + shown_.y) row(head, y, hovered);
      y += rowHeight();
    }
  }
  void pointAt(Index head, float y) {
    pointed_.head = head;
    const float x = ImGui::GetIO().MousePos.x;
    const bool onLabel = ImGui::GetIO().MousePos.y < y + line_;
    for (const Column& column : columns_) {
      const bool other = onLabel == column.metric.has_value();
      if (stacked_ && other) continue;
      const bool under = x >= left(column) && x < left(column) + column.width;
      if (!under ||
          !ImGui::IsMouseHoveringRect(corner_, {corner_.x + shown_.x, corner_.y + shown_.y})) {
        continue;
      }
      pointed_.metric = column.metric;
      pointed_.label = column.key == kByLabel;
      if (column.key.empty()) return;  // it lies over the others
    }
  }

  void row(Index head, float y, bool hovered) const {
    const Theme& t = look_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Column& number = columns_.front();
    const ImVec2 a(corner_.x, y);
    const ImVec2 b(corner_.x + shown_.x, y + rowHeight());
    const bool chosen = head == panel_.view.head;
    if (chosen || hovered) list->AddRectFilled(a, b, chosen ? t.accentSoft : t.field, look_.px(3));
    drawText(list, look_.fonts.small, {a.x + look_.px(3), y + look_.px(2)},
             headColor(t, static_cast<std::size_t>(head)), std::to_string(head + 1));
    list->PushClipRect({a.x + (stacked_ ? 0.0F : number.width), a.y}, b, true);
    const std::string label =
        elided(look_.fonts.small, labelWithScore(labelOf(head)), columns_[1].width - look_.px(8));
    drawText(list, look_.fonts.small, {left(columns_[1]), y + look_.px(2)}, t.text, label);
    for (std::size_t i = 2; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      const float right = left(column) + column.width - rightPad();
      if (right < a.x || left(column) > b.x) continue;
      const Measured& measured = report_.metrics[static_cast<std::size_t>(head)][*column.metric];
      const std::string text = measured ? figureText(*measured) : "–";
      const ImVec2 size = textSize(look_.fonts.monoSmall, text);
      drawText(list, look_.fonts.monoSmall, {right - size.x, b.y - (line_ + size.y) * 0.5F},
               measured ? t.text : t.textMuted, text);
    }
    list->PopClipRect();
  }

  const Panel& panel_;
  const Look& look_;
  const HeadReport& report_;
  float line_, head_;     // heights of a line and of the headings
  bool stacked_ = false;  // labels above the figures
  std::vector<Column> columns_;
  std::vector<bool> hovered_;
  ImVec2 origin_, corner_, shown_;  // where the scrolled content starts; the part shown
  TablePointed pointed_;
};

}  // namespace

TablePointed metricsTable(const Panel& panel, const HeadReport& report, float height) {
  Table table(panel, report);
  return table.draw(std::min(height, table.wholeHeight()));
}

void sortTableBy(HeadsView& view, std::string_view column) {
  if (view.tableSort == column) {
    view.tableDescending = !view.tableDescending;
    return;
  }
  view.tableSort = column;
  view.tableDescending = metricFromKey(column).has_value();
}

}  // namespace headscope::ui
