#include "app/ui/heads/head_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/glossary.h"
#include "app/ui/heads/figure_words.h"
#include "app/ui/heads/metric_definition.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr int kRows = 6;

float lineHeight(const Look& look) { return fontSize(look.fonts.small) + look.px(3.5F); }
float titleHeight(const Look& look) { return fontSize(look.fonts.small) + look.px(9); }

struct Row {
  std::string name, value, why;  // why there is no value
  std::string about;
};

Row rowOf(const HeadMetrics& metrics, Metric metric, std::string name, std::string value) {
  const Measured& measured = metrics[metric];
  return {std::move(name), measured ? std::move(value) : std::string(), measured.why,
          definitionText(metric)};
}

std::vector<Row> rowsOf(const Panel& panel, Index head, const HeadReport& report) {
  const HeadMetrics& m = report.metrics[static_cast<std::size_t>(head)];
  const auto text = [&](Metric metric) { return figureWithUnit(m[metric], metric); };
  const auto keys = static_cast<double>(panel.trace.config().keys());
  const Measured& entropy = m[Metric::entropy];
  std::vector<Row> rows{
      rowOf(m, Metric::entropy, "entropy / log₂ M",
            fmt::format("{} / {} bits", number(entropy.value.value_or(0.0), 3),
                        number(std::log2(keys), 3))),
      rowOf(m, Metric::confidence, "confidence (mean max)", text(Metric::confidence)),
      rowOf(m, Metric::meanDistance, "mean distance", text(Metric::meanDistance)),
      rowOf(m, Metric::previousToken, "previous token", text(Metric::previousToken))};
  const auto other = mostAlike(report.similarity, head);
  Row alike{"most like head", "", other ? "" : report.similarity.why, termText("similarity")};
  if (other) {
    alike.value =
        fmt::format("{} (similarity {:.2f})", *other + 1, report.similarity(head, *other));
  } else if (alike.why.empty()) {
    alike.why = "there is no other head";
  }
  rows.push_back(std::move(alike));
  rows.push_back(
      rowOf(m, Metric::ablation, "ablation", text(Metric::ablation) + " of output norm"));
  return rows;
}

void drawRow(const Look& look, const Row& row, ImU32 color) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float name = textSize(look.fonts.small, row.name).x;
  drawText(list, look.fonts.small, at, look.theme.text, row.name);
  underlineTerm(look, {at.x, at.y + fontSize(look.fonts.small) + look.px(1)}, name);
  const bool defined = row.why.empty();
  ImFont* font = defined ? look.fonts.monoSmall : look.fonts.tiny;
  const std::string shown =
      elided(font, defined ? row.value : "– " + row.why, width - name - look.px(10));
  drawText(list, font, {at.x + width - textSize(font, shown).x, at.y}, color, shown);
  ImGui::Dummy({width, lineHeight(look)});
  tip(look, row.about + (defined ? "" : "\nNot defined because " + row.why + "."));
}

/// "Head 6 looks like [previous token]"
void titleRow(const Panel& panel, Index head, const HeadLabel& label, bool current) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const Index batch = panel.trace.config().batch;
  const bool mean = panel.view.heads.averageItems && batch > 1;
  const std::string text = mean ? fmt::format("Head {}, mean of {} items: like", head + 1, batch)
                                : fmt::format("Head {} looks like", head + 1);
  const float y = at.y + look.px(2.5F);
  drawText(list, look.fonts.small, {at.x, y}, t.textMuted, text);
  const float start = textSize(look.fonts.small, text).x + look.px(9);
  const std::string shown =
      elided(look.fonts.small, labelWithScore(label), width - start - look.px(20));
  const ImVec2 a(at.x + start, at.y);
  const ImVec2 b(a.x + textSize(look.fonts.small, shown).x + look.px(18),
                 at.y + titleHeight(look) - look.px(3));
  list->AddRectFilled(a, b, t.accentSoft, look.px(5));
  drawText(list, look.fonts.small, {a.x + look.px(9), y}, current ? t.accentText : t.textMuted,
           shown);
  ImGui::Dummy({width, titleHeight(look)});
}

}  // namespace

float headRowsHeight(const Look& look, HeadRowsLength length) {
  if (length == HeadRowsLength::none) return 0.0F;
  const float rows = length == HeadRowsLength::whole ? kRows * lineHeight(look) : 0.0F;
  return titleHeight(look) + lineHeight(look) + rows;
}

void headRows(const Panel& panel, Index head, const Figures* figures,
              const FiguresMemory& measuring, HeadRowsLength length) {
  if (length == HeadRowsLength::none) return;
  const Look& look = panel.look;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (figures == nullptr) {
    const bool failed = !measuring.error.empty();
    label(look.fonts.small, failed ? look.theme.bad : look.theme.textMuted,
          failed ? elided(look.fonts.small, measuring.error, width)
                 : fmt::format("Head {}: measuring …", head + 1));
  } else {
    const HeadLabel& label = figures->report.labels[static_cast<std::size_t>(head)];
    titleRow(panel, head, label, measuring.current);
    const std::string rule = (label.declared ? "designed, not learned: " : "") + label.rule;
    drawText(ImGui::GetWindowDrawList(), look.fonts.tiny, ImGui::GetCursorScreenPos(),
             look.theme.textMuted, elided(look.fonts.tiny, rule, width));
    ImGui::Dummy({width, lineHeight(look)});
    tip(look, rule);
    if (length == HeadRowsLength::whole) {
      // those of the pass before are greyed until the new ones are there
      const ImU32 color = measuring.current ? look.theme.text : look.theme.textMuted;
      for (const Row& row : rowsOf(panel, head, figures->report)) drawRow(look, row, color);
    }
  }
  ImGui::SetCursorScreenPos({start.x, start.y + headRowsHeight(look, length)});
  ImGui::Dummy({1, 0});
  ImGui::PopStyleVar();
}

}  // namespace headscope::ui
