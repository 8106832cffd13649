#include "app/ui/heads/view_model/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/background_task.h"
#include "app/ui/heads/effects.h"
#include "app/ui/heads/heads_view.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/editing/edit.h"

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

ShareBars shareBars(const HeadEffects& effects, const ChartBars& bars) {
  ShareBars all;
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
    all.lowest = std::min(all.lowest, below);
    all.highest = std::max(all.highest, above);
    all.shares.push_back(std::move(sum));
  }
  return all;
}

bool CheckedEffect::agrees() const {
  constexpr double kRounding = 1e-5;  // relative; absolute below 1
  return largest <= kRounding * std::max(1.0, magnitude);
}

std::optional<CheckedEffect> checkEffect(const TracePtr& trace, Index item, Index head,
                                         const ExecutionContext& execution) {
  CheckedEffect checked;
  checked.head = head;
  checked.gain = trace->config().gain(head) == 0.0F ? 1.0F : 0.0F;
  const Index anyBytes = std::numeric_limits<Index>::max();
  Document edited = *apply(trace->document(), SetHeadGain{head, checked.gain}, anyBytes).document;
  edited.scoreStorage = trace->document().scoreStorage;
  const TracePtr real =
      runLayerAttention(std::make_shared<const Document>(std::move(edited)), trace, execution);
  if (real == nullptr) return std::nullopt;
  const Tensor byTerm = outputWithGain(*trace, item, head, checked.gain);
  const ConstMatrixView expected = byTerm.matrix();
  const ConstMatrixView found = real->tensor(TensorId::output).matrix({item});
  for (Index i = 0; i < found.rows; ++i) {
    for (Index d = 0; d < found.cols; ++d) {
      const double value = found(i, d);
      checked.largest = std::max(checked.largest, std::abs(expected(i, d) - value));
      checked.magnitude = std::max(checked.magnitude, std::abs(value));
    }
  }
  return checked;
}

std::string effectInWords(const HeadsState& state, const HeadEffects& effects, Index head,
                          Index begin, Index end) {
  const Pooling pooling = state.view.pooling;
  const auto percent = percentWithout(effects, head, begin, end, pooling);
  std::string where = tokenInQuotes(state, begin);
  if (end - begin > 1) {
    where +=
        trFormat(" … {} ({} of {} tokens)", tokenInQuotes(state, end - 1),
                 pooling == Pooling::mean ? tr("mean") : tr("largest"), withThousands(end - begin));
  }
  const std::string start = trFormat("without head {}, {}: ", head + 1, where);
  if (!percent) return start + tr("not defined because the output is 0");
  return start + trFormat("{} % of the output's norm", number(*percent, 3));
}

std::string lossInWords(const HeadsState& state, const HeadEffects& effects, Index head) {
  if (state.trace.config().gain(head) == 0.0F) {
    return trFormat("Head {} is off, so its term is already 0.", head + 1);
  }
  std::string text =
      trFormat("Without head {}, the output loses exactly this head's term", head + 1);
  if (const auto largest = largestEffect(effects, head)) {
    text += trFormat("; most from {}: {} % of the output's norm",
                     tokenInQuotes(state, largest->token), number(largest->percent, 3));
  }
  return text + ".";
}

std::string sharesInWords(const HeadsState& state, const std::vector<double>& shares, Index token) {
  const std::string name = tokenInQuotes(state, token);
  if (shares.empty()) return trFormat("Not defined for {}: its output is 0.", name);
  double sum = 0.0;
  double against = 0.0;
  for (const double share : shares) {
    sum += share;
    against += std::min(share, 0.0);
  }
  const AttentionConfig& c = state.trace.config();
  std::string text =
      fmt::format("{}: {}{}, Σ = {:.3f}", name, counted(c.numHeads, tr("{} head"), tr("{} heads")),
                  c.switches->bias ? tr(" and the bias") : tr(", no bias"), sum);
  if (against < 0.0) text += trFormat("; {} of it opposite to the output", cellNumber(against, 3));
  return text;
}

}  // namespace headscope::ui
