#include "app/ui/heads/effect_numbers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/tools/chart.h"

namespace headscope::ui {

std::optional<double> percentWithout(const HeadEffects& effects, Index head, Index begin, Index end,
                                     Pooling pooling) {
  double sum = 0.0;
  double most = 0.0;
  Index count = 0;
  for (Index token = begin; token < end; ++token) {
    const auto effect = effects.effect(head, token);
    if (!effect) continue;
    sum += *effect;
    most = std::max(most, *effect);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return 100.0 * (pooling == Pooling::maximum ? most : sum / static_cast<double>(count));
}

std::optional<LargestEffect> largestEffect(const HeadEffects& effects, Index head) {
  std::optional<LargestEffect> largest;
  for (Index token = 0; token < effects.tokens(); ++token) {
    const auto effect = effects.effect(head, token);
    if (effect && (!largest || 100.0 * *effect > largest->percent)) {
      largest = LargestEffect{token, 100.0 * *effect};
    }
  }
  return largest;
}

double largestPercent(const HeadEffects& effects) {
  double most = 0.0;
  for (Index head = 0; head < effects.heads(); ++head) {
    if (const auto largest = largestEffect(effects, head)) most = std::max(most, largest->percent);
  }
  return most;
}

Index outputsOfZero(const HeadEffects& effects) {
  Index count = 0;
  for (Index token = 0; token < effects.tokens(); ++token) {
    if (effects.outputNorm(token) == 0.0) ++count;
  }
  return count;
}

std::vector<double> sharesOf(const HeadEffects& effects, Index token) {
  const auto bias = effects.biasShare(token);
  if (!bias) return {};
  std::vector<double> shares;
  shares.reserve(static_cast<std::size_t>(effects.heads()) + 1);
  for (Index head = 0; head < effects.heads(); ++head) {
    shares.push_back(effects.share(head, token).value_or(0.0));
  }
  shares.push_back(*bias);
  return shares;
}

ShareBars::ShareBars(const HeadEffects& effects, const TokenBars& bars) {
  for (Index bar = 0; bar < bars.count(); ++bar) {
    std::vector<double> sum;
    double count = 0.0;
    for (Index token = bars.begin(bar); token < bars.end(bar); ++token) {
      const std::vector<double> shares = sharesOf(effects, token);
      if (shares.empty()) continue;
      sum.resize(shares.size(), 0.0);
      for (std::size_t i = 0; i < shares.size(); ++i) sum[i] += shares[i];
      count += 1.0;
    }
    double below = 0.0;
    double above = 0.0;
    for (double& share : sum) {
      share /= count;
      (share < 0.0 ? below : above) += share;
    }
    lowest_ = std::min(lowest_, below);
    highest_ = std::max(highest_, above);
    shares_.push_back(std::move(sum));
  }
}

}  // namespace headscope::ui
