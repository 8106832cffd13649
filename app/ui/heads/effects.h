// Effects: the tabs of the card that says what goes when a head is taken out, what W^O adds and
// what more heads bring, and the words they share.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/heads_card.h"
#include "app/ui/parts/chart.h"
#include "core/analysis/head_effect.h"
#include "core/document/attention.h"

namespace headscope::ui {

std::unique_ptr<Card> makeSwitchOffTab();
std::unique_ptr<Card> makeOutputMatrixTab();
std::unique_ptr<Card> makeMoreHeadsTab();
std::unique_ptr<Card> makeWhySeveralTab();
std::unique_ptr<Card> makeHowLearnedTab();

/// What goes without each head, per token, over the rest of the card: a bar chart for every head,
/// on one axis, which scroll sideways where they do not fit; or all in one heatmap, heads down and
/// tokens across. A click chooses head and token. Gives how many tokens a bar or cell covers.
Index effectBars(const PanelContext& panel, const Figures& figures);
Index effectHeatmap(const PanelContext& panel, const Figures& figures);

/// The query that the chosen cell stands in; the first where none is.
Index chosenToken(const PanelContext& panel);
/// Chooses a cell of this query, in the chosen cell's matrix where that has queries.
void chooseToken(const PanelContext& panel, Index token);
/// "‘cat’", or "token 7" and "key 7" where it has no name.
std::string tokenInQuotes(const PanelContext& panel, Index token, Lane lane = Lane::query);

/// The queries of the item, below a chart; the chosen one, where there is one, is lit.
AxisLabels tokenLabels(const PanelContext& panel);

// What goes without a head and what each head adds, in numbers, for as many bars as a picture has
// room for, and the check of it against a real pass. Pure.

/// In % of the output's norm: what goes without the head, over tokens [begin, end). None where no
/// output among them has a length.
std::optional<double> percentWithout(const HeadEffects& effects, Index head, Index begin, Index end,
                                     Pooling pooling);

/// The token that loses most without the head, and how much; none where no output has a length.
struct LargestEffect {
  Index token = 0;
  double percent = 0.0;
};
std::optional<LargestEffect> largestEffect(const HeadEffects& effects, Index head);
/// Over all heads, in %; 0 where there is none.
double largestPercent(const HeadEffects& effects);

/// How many tokens have an output of 0, of which nothing is a share.
Index outputsOfZero(const HeadEffects& effects);

/// A token's shares, the heads in order, then the bias; empty where its output is 0.
std::vector<double> sharesOf(const HeadEffects& effects, Index token);

/// The heads' shares and the bias's, each bar's the mean over its tokens: they sum to 1 as the
/// tokens' do. Empty where no output among them has a length.
struct ShareBars {
  std::vector<std::vector<double>> shares;  // by bar; the heads in order, then the bias
  double lowest = 0.0, highest = 1.0;       // the least and the largest that a stack reaches
};
ShareBars shareBars(const HeadEffects& effects, const ChartBars& bars);

/// What a head's term says of the output without it, against a real pass with the head off.
struct CheckedEffect {
  Index head = 0;
  float gain = 0.0F;       // of the head in the real pass: 0, or 1 where it is off already
  double largest = 0.0;    // |output by the term − output of the real pass|
  double magnitude = 0.0;  // largest |output| of the real pass

  /// No further apart than rounding of sums explains.
  bool agrees() const;
};
/// Runs that check. Nothing where cancelled. Throws as a pass does.
std::optional<CheckedEffect> checkEffect(const TracePtr& trace, Index item, Index head,
                                         const ExecutionContext& execution = {});

}  // namespace headscope::ui
