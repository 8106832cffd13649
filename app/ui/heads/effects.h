// Effects: the tabs of the card about the effect of removing a head, the contribution of W^O and
// the effect of more heads, and the functions that they share.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/heads_card.h"
#include "app/ui/hover.h"
#include "app/ui/parts/chart.h"
#include "core/analysis/head_effect.h"
#include "core/document/attention.h"

namespace headscope::ui {

enum class Pooling;

std::unique_ptr<Card> makeSwitchOffTab();
std::unique_ptr<Card> makeOutputMatrixTab();
std::unique_ptr<Card> makeMoreHeadsTab();
std::unique_ptr<Card> makeWhySeveralTab();
std::unique_ptr<Card> makeHowLearnedTab();

/// Draw the effect of removing each head, per token, in the rest of the card: one bar chart per
/// head on a common axis (scrolled sideways where they do not fit), or one heatmap of heads by
/// tokens. A click chooses head and token. Both return the number of tokens per bar or cell.
Index effectBars(const PanelContext& panel, const Figures& figures);
Index effectHeatmap(const PanelContext& panel, const Figures& figures);

/// Returns the query of the chosen cell; 0 where no cell with a query is chosen.
Index chosenToken(const PanelContext& panel);
/// Chooses a cell of this query: in the chosen cell's matrix if its rows are queries, else in the
/// weights.
void chooseToken(const PanelContext& panel, Index token);
/// Returns "‘cat’"; "token 7" or "key 7" where the token has no name.
std::string tokenInQuotes(const PanelContext& panel, Index token, Lane lane = Lane::query);

/// Returns the item's queries as labels below a chart, with the chosen query highlighted.
AxisLabels tokenLabels(const PanelContext& panel);

// The effect of removing a head and the share of each head, as numbers for as many bars as a
// picture has room for, and the check of the effect against a real pass. Pure.

/// Returns the effect of removing the head, in % of the output's norm, over tokens [begin, end).
/// None where every output among them is 0.
std::optional<double> percentWithout(const HeadEffects& effects, Index head, Index begin, Index end,
                                     Pooling pooling);

/// The token with the largest effect of a head, and the effect in %; none where every output is 0.
struct LargestEffect {
  Index token = 0;
  double percent = 0.0;
};
std::optional<LargestEffect> largestEffect(const HeadEffects& effects, Index head);
/// Returns the largest effect over all heads, in %; 0 where none is defined.
double largestPercent(const HeadEffects& effects);

/// Returns the number of tokens whose output is 0; shares are undefined for them.
Index outputsOfZero(const HeadEffects& effects);

/// Returns a token's shares: one per head in order, then the bias's. Empty where its output is 0.
std::vector<double> sharesOf(const HeadEffects& effects, Index token);

/// The shares of the heads and of the bias, averaged over the tokens of each bar; they sum to 1.
/// Empty where every output of a bar is 0.
struct ShareBars {
  std::vector<std::vector<double>> shares;  // per bar: the heads in order, then the bias
  double lowest = 0.0, highest = 1.0;       // the lowest and highest ends of a stack
};
ShareBars shareBars(const HeadEffects& effects, const ChartBars& bars);

/// The check of a head's term: the output it predicts against a real pass with the head off, or on
/// where the head is already off.
struct CheckedEffect {
  Index head = 0;
  float gain = 0.0F;       // the head's gain in the real pass: 0, or 1 where it is already off
  double largest = 0.0;    // |output by the term − output of the real pass|
  double magnitude = 0.0;  // largest |output| of the real pass

  /// Whether the outputs differ by no more than rounding.
  bool agrees() const;
};
/// Runs the check. Returns none where cancelled. Throws as a pass does.
std::optional<CheckedEffect> checkEffect(const TracePtr& trace, Index item, Index head,
                                         const ExecutionContext& execution = {});

}  // namespace headscope::ui
