// Prediction: a token that a model may say, with how probable it is, and what of a row of logits is
// told: the most probable, and where one word stands among all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/index.h"

namespace headscope::model {

struct Prediction {
  Index id = 0;
  double logit = 0.0;
  double probability = 0.0;
};

/// Softmax over a row of logits (V), which outlive it, one token at a time.
class RowProbabilities {
 public:
  explicit RowProbabilities(std::span<const float> logits);
  Prediction operator()(Index id) const;

 private:
  std::span<const float> logits_;
  double largest_, total_ = 0.0;
};

/// Of a row of logits (V) the most probable tokens, the first of them first; of equals the lower
/// id. Fewer where there are no more.
std::vector<Prediction> mostProbable(std::span<const float> logits, std::size_t count);

/// One token of a row of logits (V).
struct Standing {
  Prediction token;
  Index rank = 0;  // how many stand before it
};
Standing standingOf(std::span<const float> logits, Index id);

}  // namespace headscope::model
