#include "app/ui/heads/tile_words.h"

#include <fmt/format.h>

#include <cstddef>

#include "app/ui/widgets.h"

namespace headscope::ui {

std::vector<TileLine> tileLines(const Look& look, const HeadReport& report, Index head, float room,
                                bool named) {
  const auto at = static_cast<std::size_t>(head);
  std::vector<TileLine> lines;
  if (!named) {
    lines.push_back({look.fonts.small, elided(look.fonts.small, report.labels[at].title, room)});
  }
  const Measured& entropy = report.metrics[at][Metric::entropy];
  const Measured& most = report.metrics[at][Metric::confidence];
  ImFont* mono = look.fonts.monoSmall;
  const std::string bits = entropy ? fmt::format("H {:.2f} bits", *entropy) : "";
  const std::string peak = most ? fmt::format("max {:.2f}", *most) : "";
  const std::string both = bits.empty() || peak.empty() ? "" : bits + " · " + peak;
  if (!both.empty() && textSize(mono, both).x <= room) {
    lines.push_back({mono, both});
    return lines;
  }
  for (const std::string& text : {bits, peak}) {
    ImFont* font = textSize(mono, text).x <= room ? mono : look.fonts.small;
    if (!text.empty()) lines.push_back({font, elided(font, text, room)});
  }
  return lines;
}

}  // namespace headscope::ui
