// Effect numbers: what goes without a head and what each head adds, for as many bars as a picture
// has room for, and the check of it against a real pass; without drawing.
#pragma once

#include <optional>
#include <vector>

#include "app/ui/heads/heads_view.h"
#include "app/ui/parts/chart.h"
#include "core/analysis/head_effect.h"
#include "core/execution.h"
#include "core/trace.h"

namespace headscope::ui {

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
/// Nothing where cancelled. Throws as a pass does.
std::optional<CheckedEffect> checkEffect(const TracePtr& trace, Index item, Index head,
                                         const Execution& execution = {});

}  // namespace headscope::ui
