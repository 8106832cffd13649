// Token choice: the token that follows a text, chosen from the logits or by a rule of the model. A
// model may force the first token of a text, and its last one where no more may follow, and may
// have tokens that it never writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/model/prediction.h"

namespace headscope::model {

struct ModelConfig;

/// How the next token is chosen from the logits.
struct Sampling {
  double temperature = 0.0;  // divides the logits; 0: the most probable token (greedy)
  Index topK = 0;            // candidates, the most probable ones; 0: all tokens
  std::uint64_t seed = 1;
};

/// Returns the token chosen from a row of logits (V). One seed and place give the same token on
/// every machine.
Index sampledToken(std::span<const float> logits, const Sampling& sampling, Index place);

/// The rule of a model that had a part in the choice of a token.
enum class TokenRule {
  none,
  first,   // the model begins every text with this token
  last,    // the model ends a text that may not be longer with this token
  barred,  // a more probable token is one that the model never writes
};

/// A token of a text that is written. Its probability is the softmax of the logits, without rules.
struct ChosenToken : TokenProbability {
  TokenRule rule = TokenRule::none;
  TokenProbability barred = {};  // with that rule: the most probable token

  /// Returns whether the logits had no part in the choice.
  bool forced() const { return rule == TokenRule::first || rule == TokenRule::last; }
};

/// Where a token is written.
struct WritingPlace {
  Index made = 0, most = 0;  // the tokens that were written before it, and may be written
  Index tokens = 0;          // all that stand before it
};

/// Returns the token that follows a text.
ChosenToken nextToken(std::span<const float> logits, const ModelConfig& config,
                      const Sampling& sampling, const WritingPlace& place);
/// Returns the `count` most probable tokens among those that may follow a text.
std::vector<ChosenToken> followers(std::span<const float> logits, const ModelConfig& config,
                                   const WritingPlace& place, std::size_t count);

/// The rule as a few words, "forced: first" or "barred: “<pad>”, p 0.931"; empty without a
/// rule.
std::string ruleInWords(const ChosenToken& token, const std::function<std::string(Index)>& nameOf);

}  // namespace headscope::model
