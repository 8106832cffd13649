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
  const std::string bits = entropy ? fmt::format("H {:.2f} bits", *entropy) : "";
  const std::string peak = most ? fmt::format("max {:.2f}", *most) : "";
  ImFont* fonts[] = {look.fonts.monoSmall, look.fonts.small};
  const std::string both = bits.empty() || peak.empty() ? "" : bits + " · " + peak;
  for (ImFont* font : fonts) {
    if (both.empty() || textSize(font, both).x > room) continue;
    lines.push_back({font, both});
    return lines;
  }
  ImFont* font = fonts[textSize(fonts[0], bits).x <= room ? 0 : 1];
  for (const std::string& text : {bits, peak}) {
    if (!text.empty()) lines.push_back({font, elided(font, text, room)});
  }
  return lines;
}

}  // namespace headscope::ui
