// Effects: the effect of removing a head and the share of each head in the output, as numbers for
// as many bars as a picture has room for, and in words; the check of the effect against a real
// pass.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/view_model/grid.h"
#include "app/ui/parts/chart.h"
#include "core/analysis/head_effect.h"
#include "core/document/attention.h"

namespace headscope::ui {

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

  /// Returns whether the outputs differ by no more than rounding.
  bool agrees() const;
};
/// Runs the check. Returns none where cancelled. Throws as a pass does.
std::optional<CheckedEffect> checkEffect(const TracePtr& trace, Index item, Index head,
                                         const ExecutionContext& execution = {});

// Words.

/// Returns "without head 6, ‘cat’: 13.8 % of the output's norm". For several tokens, the text names
/// the first and the last and the pooling.
std::string effectInWords(const HeadsState& state, const HeadEffects& effects, Index head,
                          Index begin, Index end);
/// Returns a sentence on what the output loses without the head.
std::string lossInWords(const HeadsState& state, const HeadEffects& effects, Index head);
/// Returns "‘cat’: 8 heads and the bias, Σ = 1.000"; says where the output is 0.
std::string sharesInWords(const HeadsState& state, const std::vector<double>& shares, Index token);

}  // namespace headscope::ui
