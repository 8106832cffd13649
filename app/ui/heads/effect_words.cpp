// Tokens and effects in words (see effect_picture.h).
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "app/ui/axis_labels.h"
#include "app/ui/heads/effect_picture.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

Index chosenToken(const Panel& panel) {
  const auto& cell = panel.view.selected;
  if (!cell || info(cell->tensor).rows != Axis::query) return 0;
  return std::clamp<Index>(cell->row, 0, panel.trace.config().seqLen - 1);
}

void chooseToken(const Panel& panel, Index token) {
  auto& cell = panel.view.selected;
  if (cell && info(cell->tensor).rows == Axis::query) {
    cell->row = token;
  } else {
    cell = CellRef{TensorId::weights, panel.view.item, panel.view.head, token, 0};
  }
}

std::string tokenInQuotes(const Panel& panel, Index token) {
  const auto& tokens = laneTokens(panel.trace, Lane::query, panel.view.item);
  if (token >= static_cast<Index>(tokens.size())) return fmt::format("token {}", token + 1);
  return fmt::format("‘{}’", shownToken(tokens[static_cast<std::size_t>(token)]));
}

std::string effectInWords(const Panel& panel, const HeadEffects& effects, Index head, Index begin,
                          Index end) {
  const Pooling pooling = panel.view.heads.pooling;
  const auto percent = percentWithout(effects, head, begin, end, pooling);
  std::string where = tokenInQuotes(panel, begin);
  if (end - begin > 1) {
    where += fmt::format(" … {} ({} of {} tokens)", tokenInQuotes(panel, end - 1),
                         pooling == Pooling::mean ? "mean" : "largest", end - begin);
  }
  const std::string start = fmt::format("without head {}, {}: ", head + 1, where);
  if (!percent) return start + "not defined because the output is 0";
  return start + fmt::format("{} % of the output's norm", number(*percent, 3));
}

}  // namespace headscope::ui
