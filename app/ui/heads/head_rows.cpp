// The texts about a head next to its pictures on other pages (see figures.h).
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr int kHeadRows = 6;

float headRowHeight(const FrameContext& look) {
  return fontSize(look.fonts.small) + look.space.tight;
}
float rowsTitleHeight(const FrameContext& look) {
  return fontSize(look.fonts.small) + look.space.medium;
}

struct HeadRow {
  std::string name, value, why;  // why: the reason where there is no value
  std::string about;
};

HeadRow headRowOf(const HeadMetrics& metrics, Metric metric, std::string name, std::string value) {
  const MetricValue& measured = metrics[metric];
  return {std::move(name), measured ? std::move(value) : std::string(), measured.why,
          definitionText(metric)};
}

std::vector<HeadRow> headRowsOf(const PanelContext& panel, Index head, const HeadReport& report) {
  const HeadMetrics& m = report.metrics[static_cast<std::size_t>(head)];
  const auto text = [&](Metric metric) { return figureWithUnit(m[metric], metric); };
  const auto keys = static_cast<double>(panel.trace.keys());
  const MetricValue& entropy = m[Metric::entropy];
  std::vector<HeadRow> rows{
      headRowOf(m, Metric::entropy, tr("entropy / log₂ M"),
                trFormat("{} / {} bits", number(entropy.value.value_or(0.0), 3),
                         number(std::log2(keys), 3))),
      headRowOf(m, Metric::confidence, tr("confidence (mean max)"), text(Metric::confidence)),
  };
  const auto add = [&](Metric metric, const char* name) {
    rows.push_back(headRowOf(m, metric, name, text(metric)));
  };
  if (report.patches) {
    add(Metric::patchDistance, tr("mean distance"));
    add(Metric::patchLocal, tr("neighbouring patches"));
  } else {
    add(Metric::meanDistance, tr("mean distance"));
    add(Metric::previousToken, tr("previous token"));
  }
  const auto other = mostAlike(report.similarity, head);
  HeadRow alike{tr("most like head"), "", other ? "" : report.similarity.why,
                termText("similarity")};
  if (other) {
    alike.value = trFormat("{} (similarity {:.2f})", *other + 1, report.similarity(head, *other));
  } else if (alike.why.empty()) {
    alike.why = tr("there is no other head");
  }
  rows.push_back(std::move(alike));
  rows.push_back(headRowOf(m, Metric::ablation, tr("ablation"),
                           text(Metric::ablation) + tr(" of output norm")));
  return rows;
}

/// Returns the value in the largest letters in which it fits, else the reason why there is none, as
/// far as whole parts of it fit.
std::pair<ImFont*, std::string> shownValueOf(const FrameContext& look, const HeadRow& row,
                                             float width) {
  if (row.why.empty()) {
    const bool fits = textSize(look.fonts.monoSmall, row.value).x <= width;
    ImFont* font = fits ? look.fonts.monoSmall : look.fonts.tiny;
    return {font, elided(font, row.value, width)};
  }
  std::string shown = wholeParts(look.fonts.tiny, "– " + row.why, width);
  return {look.fonts.tiny, shown.ends_with("…") ? tr("not defined") : std::move(shown)};
}

void drawHeadRow(const FrameContext& look, const HeadRow& row, ImU32 color) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float name = textSize(look.fonts.small, row.name).x;
  drawText(list, look.fonts.small, at, look.theme.text, row.name);
  underlineTerm(look, {at.x, at.y + fontSize(look.fonts.small) + look.space.hair}, name);
  const auto [font, shown] = shownValueOf(look, row, width - name - look.space.medium);
  drawText(list, font, {at.x + width - textSize(font, shown).x, at.y}, color, shown);
  ImGui::Dummy({width, headRowHeight(look)});
  tip(look, row.about + (row.why.empty() ? "" : tr("\nNot defined because ") + row.why + "."));
}

/// Draws "Head 6 looks like [previous token]".
void drawTitleRow(const PanelContext& panel, Index head, const HeadLabel& label, bool current) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const Index batch = panel.trace.batch();
  const bool mean = panel.headsView.averageItems && batch > 1;
  const std::string whole = mean ? trFormat("Head {}, mean of {} items: like", head + 1, batch)
                                 : trFormat("Head {} looks like", head + 1);
  const float y = at.y + look.px(2.5F);
  std::string text, shown;
  float start = 0.0F;
  ImFont* font = look.fonts.small;
  for (ImFont* each : {look.fonts.small, look.fonts.tiny}) {  // the label is not cut
    font = each;
    for (const std::string& lead : {whole, trFormat("Head {}", head + 1)}) {
      text = lead;
      start = textSize(look.fonts.small, text).x + look.space.medium;
      shown = wholeParts(font, labelWithScore(label), width - start - look.space.wide);
      if (!shown.ends_with("…")) break;
    }
    if (!shown.ends_with("…")) break;
  }
  drawText(list, look.fonts.small, {at.x, y}, t.textMuted, text);
  const ImVec2 a(at.x + start, at.y);
  const ImVec2 b(a.x + textSize(font, shown).x + look.px(18),
                 at.y + rowsTitleHeight(look) - look.px(3));
  list->AddRectFilled(a, b, t.accentSoft, look.px(5));
  drawText(list, font, {a.x + look.space.medium, y}, current ? t.accentText : t.textMuted, shown);
  ImGui::Dummy({width, rowsTitleHeight(look)});
}

/// Draws the link at the right end of a line of this width; returns the width it takes.
float howLearnedLink(const PanelContext& panel, float width) {
  const FrameContext& look = panel.look;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float own = textSize(look.fonts.tiny, kHowLearned).x;
  const ImVec2 at(start.x + width - own, start.y);
  ImGui::SetCursorScreenPos(at);
  if (ImGui::InvisibleButton(kHowLearned, {own, headRowHeight(look)})) showHowLearned(panel);
  const bool hovered = ImGui::IsItemHovered();
  drawText(ImGui::GetWindowDrawList(), look.fonts.tiny, at,
           hovered ? look.theme.text : look.theme.accentText, kHowLearned);
  ImGui::SetCursorScreenPos(start);
  return own + look.space.medium;
}

}  // namespace

float headRowsHeight(const FrameContext& look, HeadRowsLength length) {
  if (length == HeadRowsLength::none) return 0.0F;
  const float rows = length == HeadRowsLength::whole ? kHeadRows * headRowHeight(look) : 0.0F;
  return rowsTitleHeight(look) + headRowHeight(look) + rows;
}

void headRows(const PanelContext& panel, Index head, const MeasuredHeads& heads,
              HeadRowsLength length) {
  if (length == HeadRowsLength::none) return;
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (heads.figures == nullptr) {
    waitingLabel(look, look.fonts.small, elided(look.fonts.small, heads.problem, width),
                 trFormat("Head {}: measuring …", head + 1));
  } else {
    const HeadReport& report = heads.figures->report;
    const HeadLabel& label = report.labels[static_cast<std::size_t>(head)];
    drawTitleRow(panel, head, label, heads.current);
    const std::string rule = purposeInWords(report, head) + trFormat("here {}", label.rule);
    const float how = headsAreTrained(panel.purposes) ? howLearnedLink(panel, width) : 0.0F;
    drawText(ImGui::GetWindowDrawList(), look.fonts.tiny, ImGui::GetCursorScreenPos(), t.textMuted,
             wholeParts(look.fonts.tiny, rule, width - how));
    ImGui::Dummy({width - how, headRowHeight(look)});
    tip(look, rule + ".\n" + labelRule());
    if (length == HeadRowsLength::whole) {
      // figures of an earlier pass are grey until the new ones arrive
      const ImU32 color = heads.current ? t.text : t.textMuted;
      for (const HeadRow& row : headRowsOf(panel, head, report)) drawHeadRow(look, row, color);
    }
  }
  ImGui::SetCursorScreenPos({start.x, start.y + headRowsHeight(look, length)});
  ImGui::Dummy({1, 0});
  ImGui::PopStyleVar();
}

std::vector<TileLine> tileLines(const FrameContext& look, const HeadReport& report, Index head,
                                float room, bool named) {
  const auto at = static_cast<std::size_t>(head);
  std::vector<TileLine> lines;
  if (!named) {
    const std::string label = labelWithScore(report.labels[at]);
    const bool fits = textSize(look.fonts.small, label).x <= room;
    lines.push_back(
        {look.fonts.small, fits ? label : elided(look.fonts.small, report.labels[at].title, room)});
  }
  const MetricValue& entropy = report.metrics[at][Metric::entropy];
  const MetricValue& most = report.metrics[at][Metric::confidence];
  const std::string bits = entropy ? trFormat("H {:.2f} bits", *entropy) : "";
  const std::string peak = most ? trFormat("ø max {:.2f}", *most) : "";
  ImFont* fonts[] = {look.fonts.monoSmall, look.fonts.small};
  const std::string both = bits.empty() || peak.empty() ? "" : bits + " · " + peak;
  for (ImFont* font : fonts) {
    if (both.empty() || textSize(font, both).x > room) continue;
    lines.push_back({font, both});
    return lines;
  }
  ImFont* font = fonts[textSize(fonts[0], bits).x <= room ? 0 : 1];
  for (const std::string& text : {bits, peak}) {
    if (!text.empty() && textSize(font, text).x <= room) lines.push_back({font, text});
  }
  return lines;
}

}  // namespace headscope::ui
