// Prediction: a token that a model may predict and its probability; the most probable tokens of a
// row of logits, and the rank of one word among all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/index.h"

namespace headscope::model {

struct TokenProbability {
  Index id = 0;
  double logit = 0.0;
  double probability = 0.0;
};

/// Softmax over a row of logits (V), which outlive it, one token at a time.
class RowProbabilities {
 public:
  explicit RowProbabilities(std::span<const float> logits);
  TokenProbability operator()(Index id) const;

 private:
  std::span<const float> logits_;
  double largest_, total_ = 0.0;
};

/// Returns the most probable tokens of a row of logits (V), at most `count`, in descending order;
/// where logits are equal, the lower id comes first.
std::vector<TokenProbability> mostProbable(std::span<const float> logits, std::size_t count);

/// The standing of one token in a row of logits (V).
struct Standing {
  TokenProbability token;
  Index rank = 0;  // the number of tokens before it
};
Standing standingOf(std::span<const float> logits, Index id);

}  // namespace headscope::model
