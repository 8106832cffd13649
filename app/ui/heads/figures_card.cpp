#include "app/ui/heads/figures_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/heads/enlarge.h"
#include "app/ui/heads/figure_words.h"
#include "app/ui/heads/metric_definition.h"
#include "app/ui/heads/metrics_table.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

void tabs(const Panel& panel, bool alone) {
  FiguresTab& tab = panel.view.heads.figuresTab;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const Look& look = panel.look;
  float room = ImGui::GetContentRegionAvail().x;
  if (!alone) room -= enlargeSwitchWidth(panel, EnlargedCard::figures) + look.px(8);
  const float height = fontSize(look.fonts.semibold) + look.px(6);
  beginPart("tabs", {room, height}, ImGuiWindowFlags_NoScrollbar);
  const int clicked = tabRow(look, "figures tabs",
                             {{"Scatter", "heads by two of their metrics"},
                              {"Table", "all metrics of all heads, in any order"}},
                             static_cast<int>(tab));
  if (clicked >= 0) tab = static_cast<FiguresTab>(clicked);
  ImGui::EndChild();
  if (!alone) enlargeSwitch(panel, EnlargedCard::figures, top);
}

void itemSwitch(const Panel& panel) {
  const Index batch = panel.trace.config().batch;
  if (batch == 1) return;
  bool& average = panel.view.heads.averageItems;
  const std::string item = fmt::format("item {}", panel.view.item + 1);
  const bool narrow = ImGui::GetContentRegionAvail().x < panel.look.px(215);
  const std::string mean = fmt::format("mean of {}{}", batch, narrow ? "" : " items");
  const int clicked = choices(panel.look, "items", {item.c_str(), mean.c_str()}, average ? 1 : 0);
  if (clicked >= 0) average = clicked == 1;
}

void muted(const Look& look, const std::string& text) {
  wrappedLabel(look, look.fonts.small, look.theme.textMuted, text);
}

void undefinedNotes(const Look& look, const HeadReport& report, Metric metric) {
  for (const std::string& sentence : undefinedInWords(report, metric)) muted(look, sentence);
}

/// A part for words below, with a scroll of its own; the rest of the card above it.
template <typename Words>
void wordsBelow(const char* id, float height, const Words& words) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                      ImVec2(ImGui::GetStyle().ItemSpacing.x, ImGui::GetStyle().ItemSpacing.y / 3));
  beginPart(id, {0, height});
  words();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void scatterTab(const Panel& panel, FiguresCardMemory& memory, const HeadReport& report) {
  const Look& look = panel.look;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool large = room.y > look.px(330);
  const float words = large ? look.px(170) : std::clamp(room.y * 0.24F, look.px(32), look.px(50));
  const ScatterAxes axes = scatterAxes(panel.view.heads);
  const float gap = look.px(4);
  const ScatterPointed pointed =
      scatter(panel, memory.scatter, report, {room.x, room.y - words - gap});
  ImGui::Dummy({1, gap - ImGui::GetStyle().ItemSpacing.y});
  wordsBelow("said of the scatter", words, [&] {
    const std::array both{axes.x, axes.y};
    if (pointed.metric && !large) {
      metricDefinition(look, *pointed.metric);
    } else {
      const std::string said = headInWords(report, pointed.head.value_or(panel.view.head), both);
      const auto heads = static_cast<Index>(report.metrics.size());
      wrappedLabel(look, look.fonts.small, look.theme.text,
                   pointed.together.empty()
                       ? said
                       : said + "; beside it " + headsInWords(pointed.together, heads));
      if (!pointed.empty) {
        undefinedNotes(look, report, axes.x);
        if (axes.y != axes.x) undefinedNotes(look, report, axes.y);
      }
    }
    if (!large) return;
    metricDefinition(look, axes.x);
    if (axes.y != axes.x) metricDefinition(look, axes.y);
  });
}

/// What a head is called, and by which rule.
void labelWords(const Look& look, const HeadReport& report, Index head) {
  const HeadLabel& label = report.labels[static_cast<std::size_t>(head)];
  wrappedLabel(look, look.fonts.small, look.theme.text,
               fmt::format("head {}: {}", head + 1, labelWithScore(label)));
  muted(look, fmt::format("{}{}.", label.rule, label.declared ? " (designed, not learned)" : ""));
}

void tableTab(const Panel& panel, const HeadReport& report) {
  const Look& look = panel.look;
  const float room = ImGui::GetContentRegionAvail().y;
  const float words = std::clamp(room * 0.36F, look.px(34), look.px(150));
  const TablePointed pointed =
      metricsTable(panel, report, room - words - ImGui::GetStyle().ItemSpacing.y);
  wordsBelow("said of the table", ImGui::GetContentRegionAvail().y, [&] {
    const Index head = pointed.head.value_or(panel.view.head);
    std::optional<Metric> metric = metricFromKey(panel.view.heads.tableSort);
    if (pointed.metric) metric = pointed.metric;
    if (!metric || pointed.label) {
      labelWords(look, report, head);
      return;
    }
    const Measured& measured = report.metrics[static_cast<std::size_t>(head)][*metric];
    if (measured) {
      wrappedLabel(look, look.fonts.small, look.theme.text,
                   headInWords(report, head, std::array{*metric}));
    }
    undefinedNotes(look, report, *metric);
    metricDefinition(look, *metric);
  });
}

}  // namespace

void figuresCard(const Panel& panel, FiguresCardMemory& memory, const Figures* figures,
                 FiguresMemory& measuring, bool alone) {
  tabs(panel, alone);
  itemSwitch(panel);
  if (figures == nullptr) {
    noFigures(panel, measuring);
    return;
  }
  measuringNote(panel, measuring);
  if (panel.view.heads.figuresTab == FiguresTab::scatter) {
    scatterTab(panel, memory, figures->report);
  } else {
    tableTab(panel, figures->report);
  }
}

}  // namespace headscope::ui
