// Effects: the tabs of the card that says what goes when a head is taken out, what W^O adds and
// what more heads bring, and the words they share.
#pragma once

#include <memory>
#include <string>

#include "app/ui/heads/effect_numbers.h"
#include "app/ui/heads/heads_card.h"

namespace headscope::ui {

std::unique_ptr<Card> makeSwitchOffTab();
std::unique_ptr<Card> makeOutputMatrixTab();
std::unique_ptr<Card> makeMoreHeadsTab();
std::unique_ptr<Card> makeWhySeveralTab();

/// What goes without each head, per token, over the rest of the card: a bar chart for every head,
/// on one axis, which scroll sideways where they do not fit; or all in one heatmap, heads down and
/// tokens across. A click chooses head and token. Gives how many tokens a bar or cell covers.
Index effectBars(const Panel& panel, const Figures& figures);
Index effectHeatmap(const Panel& panel, const Figures& figures);

/// The query that the chosen cell stands in; the first where none is.
Index chosenToken(const Panel& panel);
/// Chooses a cell of this query, in the chosen cell's matrix where that has queries.
void chooseToken(const Panel& panel, Index token);
/// "‘cat’", or "token 7" and "key 7" where it has no name.
std::string tokenInQuotes(const Panel& panel, Index token, Lane lane = Lane::query);

/// The queries of the item, below a chart; the chosen one, where there is one, is lit.
AxisLabels tokenLabels(const Panel& panel);

}  // namespace headscope::ui
