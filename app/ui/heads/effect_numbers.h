// Effect numbers: what goes without a head and what each head adds, for as many bars as a picture
// has room for; without drawing.
#pragma once

#include "app/ui/parts/chart.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "app/ui/heads/heads_view.h"
#include "core/analysis/head_effect.h"

namespace headscope::ui {

/// The tokens, in order, over at most so many bars; each bar covers as many as the others, or one
/// more.
class TokenBars {
 public:
  TokenBars(Index tokens, Index most)
      : tokens_(tokens), count_(std::clamp<Index>(most, 1, tokens)) {}

  Index count() const { return count_; }
  Index begin(Index bar) const { return bar * tokens_ / count_; }
  Index end(Index bar) const { return begin(bar + 1); }
  Index barOf(Index token) const { return ((token + 1) * count_ - 1) / tokens_; }
  bool several() const { return count_ < tokens_; }
  /// Of the bars that cover most.
  Index tokensPerBar() const { return (tokens_ + count_ - 1) / count_; }
  bool operator==(const TokenBars&) const = default;

 private:
  Index tokens_, count_;
};

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

/// The heads' shares and the bias's, each bar's the mean over its tokens: they sum to 1 as the
/// tokens' do. Empty where no output among them has a length.
class ShareBars {
 public:
  ShareBars() = default;
  ShareBars(const HeadEffects& effects, const TokenBars& bars);

  /// The heads in order, then the bias.
  const std::vector<double>& of(Index bar) const { return shares_[static_cast<std::size_t>(bar)]; }
  /// The least and the largest that a stack reaches.
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }

 private:
  std::vector<std::vector<double>> shares_;
  double lowest_ = 0.0, highest_ = 1.0;
};

/// A token's shares, the heads in order, then the bias; empty where its output is 0.
std::vector<double> sharesOf(const HeadEffects& effects, Index token);

}  // namespace headscope::ui
