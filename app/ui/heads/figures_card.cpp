// Figures card: the metrics of every head, as a scatter of two of them or as a table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/heads/scatter.h"
#include "app/ui/heads/view_model/choice.h"
#include "app/ui/panel.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/parts/table.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

void itemSwitch(const PanelContext& panel) {
  const Index batch = panel.trace.batch();
  if (batch == 1) return;
  bool& average = panel.headsView.averageItems;
  const std::string item = trFormat("item {}", panel.selection.item + 1);
  const bool narrow = ImGui::GetContentRegionAvail().x < panel.look.px(215);
  const std::string mean = trFormat("mean of {}{}", batch, narrow ? "" : " items");
  const int clicked = choices(panel.look, "items", {item.c_str(), mean.c_str()}, average ? 1 : 0);
  if (clicked >= 0) average = clicked == 1;
}

void undefinedNotes(const FrameContext& look, const HeadReport& report, Metric metric) {
  for (const std::string& why : undefinedInWords(report, metric))
    wrappedLabel(look.fonts.small, look.theme.textMuted, why);
}

/// Draws words in a part of this height that scrolls by itself.
template <typename Words>
void wordsBelow(const char* id, float height, const Words& words) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                      ImVec2(ImGui::GetStyle().ItemSpacing.x, ImGui::GetStyle().ItemSpacing.y / 3));
  beginPart(id, {0, height});
  words();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

/// A tab that draws the report, or a note while there is none.
class FiguresTabCard : public Card {
 public:
  using Card::Card;
  void draw(const PanelContext& panel) final {
    itemSwitch(panel);
    const MeasuredHeads heads = measuredHeads(panel);
    if (heads.figures == nullptr) return noFigures(panel, heads);
    measuringNote(panel, heads);
    drawReport(panel, heads.figures->report);
  }

 private:
  virtual void drawReport(const PanelContext& panel, const HeadReport& report) = 0;
};

class ScatterTab final : public FiguresTabCard {
 public:
  ScatterTab()
      : FiguresTabCard(
            {"scatter", tr("Scatter"), tr("heads by two of their metrics"), 0, true, ""}) {}

 private:
  void drawReport(const PanelContext& panel, const HeadReport& report) override {
    const FrameContext& look = panel.look;
    Rect room = Rect::rest();
    const bool large = room.height() > look.px(330);
    const bool low = room.height() < look.px(150);  // the plot needs all of it
    const float words = large ? look.px(170)
                        : low ? 0.0F
                              : std::clamp(room.height() * 0.24F, look.px(32), look.px(50));
    const ScatterAxes axes = scatterAxes(panel.headsView, panel.document.input->patches.on());
    const Rect below = room.cutBottom(words, look.space.tight);
    const ScatterPick pick = scatter(panel, report, room);
    if (low) return;
    ImGui::SetCursorScreenPos(below.a);
    wordsBelow("summary of the scatter plot", words, [&] {
      if (pick.metric && !large) {
        metricDefinition(look, *pick.metric);
      } else {
        said(look, report, axes, pick, panel.selection.head);
      }
      if (!large) return;
      metricDefinition(look, axes.x);
      if (axes.y != axes.x) metricDefinition(look, axes.y);
    });
  }

  static void said(const FrameContext& look, const HeadReport& report, const ScatterAxes& axes,
                   const ScatterPick& pick, Index chosen) {
    const std::array both{axes.x, axes.y};
    std::string text = headInWords(report, pick.head.value_or(chosen), both);
    if (!pick.together.empty()) {
      text += tr("; at the same place ") +
              headsInWords(pick.together, static_cast<Index>(report.metrics.size()));
    }
    wrappedLabel(look.fonts.small, look.theme.text, text);
    if (pick.empty) return;
    undefinedNotes(look, report, axes.x);
    if (axes.y != axes.x) undefinedNotes(look, report, axes.y);
  }
};

/// A table of heads by metrics, sorted by any column; the head numbers stay while the rest scrolls.
class TableTab final : public FiguresTabCard {
 public:
  TableTab()
      : FiguresTabCard(
            {"table", tr("Table"), tr("all metrics of all heads, in any order"), 0, true, ""}) {}

 private:
  /// The cell or heading under the mouse or keyboard focus.
  struct TablePick {
    std::optional<Index> head;
    std::optional<Metric> metric;
    bool label = false;  // whether it is the column of labels
  };

  void drawReport(const PanelContext& panel, const HeadReport& report) override {
    const FrameContext& look = panel.look;
    const float room = ImGui::GetContentRegionAvail().y;
    const float words = std::clamp(room * 0.36F, look.px(34), look.px(150));
    const TablePick pick = table(panel, report, room - words - ImGui::GetStyle().ItemSpacing.y);
    wordsBelow("said of the table", ImGui::GetContentRegionAvail().y, [&] {
      const Index head = pick.head.value_or(panel.selection.head);
      std::optional<Metric> metric = metricFromKey(panel.headsView.tableSort);
      if (pick.metric) metric = pick.metric;
      if (!metric || pick.label) {
        const HeadLabel& label = report.labels[static_cast<std::size_t>(head)];
        wrappedLabel(look.fonts.small, look.theme.text,
                     trFormat("head {}: {}", head + 1, labelWithScore(label)));
        wrappedLabel(look.fonts.small, look.theme.textMuted,
                     trFormat("{}here {}.", purposeInWords(report, head), label.rule));
        return;
      }
      if (report.metrics[static_cast<std::size_t>(head)][*metric]) {
        wrappedLabel(look.fonts.small, look.theme.text,
                     headInWords(report, head, std::array{*metric}));
      }
      undefinedNotes(look, report, *metric);
      metricDefinition(look, *metric);
    });
  }

  static TablePick table(const PanelContext& panel, const HeadReport& report, float height) {
    const FrameContext& look = panel.look;
    HeadsView& view = panel.headsView;
    const MetricsTable shown = metricsTable(report, view);
    TableSetting setting{"metrics", height, 1};
    setting.rows = static_cast<Index>(shown.heads.size());
    if (shown.by) setting.sort = TableSort{*shown.by, view.tableDescending};
    Table table(look, setting, headings(panel, report, shown, setting));
    TablePick pick;
    const auto pointAt = [&](std::optional<std::size_t> column) {
      if (!column) return;
      pick.metric = shown.columns[*column].metric;
      pick.label = shown.columns[*column].key == kByLabel;
    };
    if (table.clickedHeading()) sortTableBy(view, shown.columns[*table.clickedHeading()].key);
    pointAt(table.hoveredHeading());
    table.rows(setting.rows, [&](Index place) {
      const Index head = shown.heads[static_cast<std::size_t>(place)];
      if (table.row(head, head == panel.selection.head)) panel.selection.head = head;
      if (table.rowHovered()) {
        pick.head = head;
        pointAt(table.hoveredColumn());
      }
      const std::vector<std::string> texts = rowOf(report, head);
      table.text(texts[0], headColor(look.theme, static_cast<std::size_t>(head)));
      table.text(texts[1]);
      for (std::size_t i = 2; i < texts.size(); ++i) {
        table.number(texts[i], texts[i] == "–" ? look.theme.textMuted : look.theme.text);
      }
    });
    return pick;
  }

  /// Returns the headings of the columns. In the enlarged card, where the figures need the full
  /// width, the labels go above them, and `setting` becomes dense.
  static std::vector<TableColumn> headings(const PanelContext& panel, const HeadReport& report,
                                           const MetricsTable& shown, TableSetting& setting) {
    constexpr float kWidestLabel = 170.0F;
    constexpr float kFigureWidth = 44.0F;
    const FrameContext& look = panel.look;
    float labels = 0.0F;
    for (const HeadLabel& label : report.labels) {
      labels = std::max(labels, textSize(look.fonts.small, labelWithScore(label)).x / look.scale);
    }
    std::vector<TableColumn> headings;
    float needed = 0.0F;
    for (const MetricsTable::Column& column : shown.columns) {
      const bool figure = column.metric.has_value();
      const float least = figure                   ? kFigureWidth
                          : column.key == kByLabel ? std::min(labels, kWidestLabel)
                                                   : 24.0F;
      headings.push_back({column.title, column.about, figure, least});
      const float title = textSize(look.fonts.small, column.title + " ▾").x / look.scale;
      needed += figure ? std::max(title, least) + 2 * look.space.small / look.scale : least;
    }
    const float line = 2 * (fontSize(look.fonts.monoSmall) + look.space.small);
    const bool scrolls = line * static_cast<float>(setting.rows + 1) > setting.height;
    const float room =
        ImGui::GetContentRegionAvail().x - (scrolls ? ImGui::GetStyle().ScrollbarSize : 0.0F);
    if (panel.headsView.enlarged != EnlargedCard::figures || look.px(needed) <= room) {
      return headings;
    }
    setting.dense = true;
    setting.frozen = 0;
    const float figure = textSize(look.fonts.monoSmall, kLongestFigure).x;
    float all = -2 * look.space.thin;
    for (std::size_t i = 0; i < headings.size(); ++i) {
      TableColumn& heading = headings[i];
      heading.above = !heading.number;
      if (heading.above) continue;
      const float title = textSize(look.fonts.tiny, heading.title).x;
      heading.grows = std::max(textSize(look.fonts.tiny, heading.title + " ▾").x, figure);
      heading.least = std::max(title, figure) / look.scale;
      all += std::max(title, figure) + 2 * look.space.thin;
    }
    // figures that do not fit scroll; none is cut
    for (TableColumn& heading : headings) {
      if (all > room) heading.grows = 0.0F;
    }
    return headings;
  }
};

class FiguresCard final : public Card {
 public:
  FiguresCard() : Card({"figures", tr("Figures"), tr("the metrics of each head")}) {}
  void draw(const PanelContext& panel) override {
    FiguresTab& tab = panel.headsView.figuresTab;
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const auto chosen = static_cast<std::size_t>(tab);
    const float kept =
        panel.alone ? 0.0F
                    : enlargeSwitchWidth(panel, EnlargedCard::figures) + panel.look.space.medium;
    tab = static_cast<FiguresTab>(tabs_.tabs(panel, "figures tabs", chosen, kept));
    if (!panel.alone) enlargeSwitch(panel, EnlargedCard::figures, top);
    tabs_.at(chosen).draw(panel);
  }
  std::vector<CardTab> tabs(const PanelContext& /*panel*/) const override {
    return tabs_.asTabs([](const PanelContext& panel, std::size_t place) {
      panel.headsView.figuresTab = static_cast<FiguresTab>(place);
    });
  }

 private:
  Cards tabs_ = Cards::of(std::make_unique<ScatterTab>(), std::make_unique<TableTab>());
};

}  // namespace

std::unique_ptr<Card> makeFiguresCard() { return std::make_unique<FiguresCard>(); }

}  // namespace headscope::ui
