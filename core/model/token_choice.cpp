#include "core/model/token_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/random.h"
#include "core/base/translation.h"
#include "core/model/model_config.h"

namespace headscope::model {
namespace {

/// The token that a model forces at a place.
std::optional<ChosenToken> forcedToken(std::span<const float> logits, const TargetTokens& target,
                                       const WritingPlace& place) {
  const auto chosen = [&](Index id, TokenRule rule) {
    return ChosenToken{RowProbabilities(logits)(id), rule};
  };
  if (place.tokens == 1 && place.made == 0 && target.forcedFirst >= 0) {
    return chosen(target.forcedFirst, TokenRule::first);
  }
  if (place.made + 1 == place.most && target.forcedEnd >= 0) {
    return chosen(target.forcedEnd, TokenRule::last);
  }
  return std::nullopt;
}

/// The most probable one of the tokens that a model never writes.
std::optional<TokenProbability> bestBarred(std::span<const float> logits,
                                           const TargetTokens& target) {
  const RowProbabilities probabilities(logits);
  std::optional<TokenProbability> best;
  for (const Index id : target.never) {
    if (id < 0 || id >= std::ssize(logits)) continue;
    const TokenProbability token = probabilities(id);
    if (!best || token.logit > best->logit) best = token;
  }
  return best;
}

/// Returns the choice of a token. Its rule is TokenRule::barred where `barred`, the best token that
/// the model never writes, is more probable.
ChosenToken asChosen(const TokenProbability& token, const std::optional<TokenProbability>& barred) {
  if (!barred || barred->logit <= token.logit) return {token};
  return {token, TokenRule::barred, *barred};
}

}  // namespace

Index sampledToken(std::span<const float> logits, const Sampling& sampling, Index place) {
  if (!(sampling.temperature > 0.0)) return mostProbable(logits, 1).front().id;
  const auto among = sampling.topK > 0 ? static_cast<std::size_t>(sampling.topK) : logits.size();
  const std::vector<TokenProbability> best = mostProbable(logits, among);
  std::vector<double> upTo;
  double total = 0.0;
  for (const TokenProbability& each : best) {
    total += std::exp((each.logit - best.front().logit) / sampling.temperature);
    upTo.push_back(total);
  }
  const RandomStream stream(sampling.seed, "generation");
  const double drawn =
      total * static_cast<double>(stream.bits(static_cast<std::uint64_t>(place)) >> 11) * 0x1p-53;
  const auto found = std::upper_bound(upTo.begin(), upTo.end(), drawn);
  const auto at = std::min<std::ptrdiff_t>(found - upTo.begin(), std::ssize(best) - 1);
  return best[static_cast<std::size_t>(at)].id;
}

ChosenToken nextToken(std::span<const float> logits, const ModelConfig& config,
                      const Sampling& sampling, const WritingPlace& place) {
  const TargetTokens& target = config.target;
  if (const auto forced = forcedToken(logits, target, place)) return *forced;
  const RowProbabilities probabilities(logits);
  if (target.never.empty()) return {probabilities(sampledToken(logits, sampling, place.made))};
  std::vector<float> said(logits.begin(), logits.end());
  for (const Index id : target.never) {
    if (id < 0 || id >= std::ssize(said)) continue;
    said[static_cast<std::size_t>(id)] = -std::numeric_limits<float>::infinity();
  }
  const Index id = sampledToken(said, sampling, place.made);
  return asChosen(probabilities(id), bestBarred(logits, target));
}

std::vector<ChosenToken> followers(std::span<const float> logits, const ModelConfig& config,
                                   const WritingPlace& place, std::size_t count) {
  const TargetTokens& target = config.target;
  if (const auto forced = forcedToken(logits, target, place)) return {*forced};
  const auto barred = bestBarred(logits, target);
  std::vector<ChosenToken> best;
  for (const TokenProbability& token : mostProbable(logits, count + target.never.size())) {
    const bool may = std::ranges::find(target.never, token.id) == target.never.end();
    if (may && best.size() < count) best.push_back(asChosen(token, barred));
  }
  return best;
}

std::string ruleInWords(const ChosenToken& token, const std::function<std::string(Index)>& nameOf) {
  switch (token.rule) {
    case TokenRule::none:
      return {};
    case TokenRule::first:
      return tr("forced: first");
    case TokenRule::last:
      return tr("forced: last");
    case TokenRule::barred:
      return trFormat("barred: “{}”, p {:.3g}", nameOf(token.barred.id), token.barred.probability);
  }
  return {};
}

}  // namespace headscope::model
