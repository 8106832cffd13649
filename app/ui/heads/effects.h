// Effects: the tabs of the card about the effect of removing a head, the contribution of W^O and
// the effect of more heads, and the functions that they share.
#pragma once

#include <memory>

#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/view_model/effects.h"

namespace headscope::ui {

/// The sum that the output is, as rich text.
inline constexpr const char* kOutputFormula = "output = Σ_h head_h · W^O_h + b_O";

std::unique_ptr<Card> makeSwitchOffTab();
std::unique_ptr<Card> makeOutputMatrixTab();
std::unique_ptr<Card> makeMoreHeadsTab();
std::unique_ptr<Card> makeWhySeveralTab();
std::unique_ptr<Card> makeHowLearnedTab();

/// Draw the effect of removing each head, per token, in the rest of the card: one bar chart per
/// head on a common axis (scrolled sideways where they do not fit), or one heatmap of heads by
/// tokens. A click chooses head and token. Both return the number of tokens per bar or cell.
Index effectBars(const PanelContext& panel, const Figures& figures);
/// Draws the chosen head's bars alone, in letters that a room can read.
void effectOfChosenHead(const PanelContext& panel, const Figures& figures);
Index effectHeatmap(const PanelContext& panel, const Figures& figures);

/// Returns the query of the chosen cell; 0 where no cell with a query is chosen.
Index chosenToken(const PanelContext& panel);
/// Chooses a cell of this query: in the chosen cell's matrix if its rows are queries, else in the
/// weights.
void chooseToken(const PanelContext& panel, Index token);
/// Returns the item's queries as labels below a chart, with the chosen query highlighted.
AxisLabels tokenLabels(const PanelContext& panel);

}  // namespace headscope::ui
