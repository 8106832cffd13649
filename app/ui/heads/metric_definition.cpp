#include "app/ui/heads/metric_definition.h"

#include <fmt/format.h>

#include <cstddef>

#include "app/ui/compat.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// What has to be known where the number is read.
std::string_view caution(Metric metric) {
  return metric == Metric::induction
             ? " One layer alone has no true induction heads: those take two."
             : std::string_view();
}

std::string wordsOf(const MetricInfo& m) {
  return fmt::format("{}: {}.{}", m.title, m.words, caution(m.metric));
}

std::string rangeOf(const MetricInfo& m) {
  return fmt::format("{}{}{}. {}.", m.range, m.unit.empty() ? "" : ", in ", m.unit, m.source);
}

}  // namespace

void wrappedLabel(const Look&, ImFont* font, ImU32 color, std::string_view text) {
  ImGui::PushTextWrapPos(0.0F);
  label(font, color, text);
  ImGui::PopTextWrapPos();
}

std::vector<std::string_view> richLines(const Fonts& fonts, ImFont* font, std::string_view text,
                                        float width) {
  std::vector<std::string_view> lines;
  std::size_t start = 0;
  std::size_t end = 0;  // of what fits
  while (start < text.size()) {
    std::size_t next = text.find(' ', end + (end > start ? 1 : 0));
    if (next == std::string_view::npos) next = text.size();
    const bool fits = richTextSize(fonts, font, text.substr(start, next - start)).x <= width;
    if (fits || end == start) {
      end = next;
      if (end < text.size()) continue;
    }
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
    end = start;
  }
  return lines;
}

void metricDefinition(const Look& look, Metric metric) {
  const MetricInfo& m = info(metric);
  ImFont* font = look.fonts.small;
  wrappedLabel(look, font, look.theme.text, wordsOf(m));
  const float width = ImGui::GetContentRegionAvail().x;
  const float line = fontSize(font) + look.px(5);
  for (const std::string_view formula : richLines(look.fonts, font, m.formula, width)) {
    drawRichText(ImGui::GetWindowDrawList(), look.fonts, font, ImGui::GetCursorScreenPos(),
                 look.theme.accentText, formula);
    ImGui::Dummy({width, line - ImGui::GetStyle().ItemSpacing.y});
  }
  wrappedLabel(look, font, look.theme.textMuted, rangeOf(m));
}

std::string definitionText(Metric metric) {
  const MetricInfo& m = info(metric);
  return wordsOf(m) + "\n" + rangeOf(m);
}

}  // namespace headscope::ui
