// Effect picture: what goes without each head, per token: a bar chart for every head, or all in one
// heatmap.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/heads/effect_numbers.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct EffectPicture {
  const HeadEffects& effects;
  std::uint64_t version;  // of the effects
  double largest;         // of them all, in %
};

/// Small multiples on one axis, over the rest of the card; they scroll sideways where they do not
/// fit. A click chooses head and token. Gives how many tokens a bar covers at most.
Index effectBars(const Panel& panel, const EffectPicture& picture);

/// Heads down, tokens across, over the rest of the card. A click chooses both. Gives how
/// many tokens a cell covers at most.
Index effectHeatmap(const Panel& panel, const EffectPicture& picture);

/// "without head 6, ‘cat’: 13.8 % of the output's norm"; of several tokens, which and how pooled.
std::string effectInWords(const Panel& panel, const HeadEffects& effects, Index head, Index begin,
                          Index end);

/// The query that the chosen cell stands in; the first where none is.
Index chosenToken(const Panel& panel);
/// Chooses a cell of this query, in the chosen cell's matrix where that has queries.
void chooseToken(const Panel& panel, Index token);
/// "‘cat’", or "token 7" where it has no name.
std::string tokenInQuotes(const Panel& panel, Index token);

}  // namespace headscope::ui
