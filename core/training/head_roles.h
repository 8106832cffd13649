// Head roles: where the heads of a layer look in given sentences, held against the answers to the
// questions about their words.
#pragma once

#include <array>
#include <vector>

#include "core/execution.h"
#include "core/training/sentences.h"
#include "core/weights/weights.h"

namespace headscope::training {

struct HeadRoles {
  /// [head][question]: the weight on a word's partners together, in the mean over all words that
  /// have some; 0 where no word has.
  std::vector<std::array<double, kWordQuestions>> onPartners;
  double largestWeight = 0.0;

  /// The head that looks at a question's partners most.
  Index bestAt(WordQuestion question) const;
};

/// The configuration's sizes and scale count, its mask does not. Of no heads where it was
/// cancelled.
HeadRoles measureRoles(const Weights& weights, const AttentionConfig& config,
                       const std::vector<Sentence>& sentences, const Execution& execution);

/// Sentences that no layer learns from, always the same ones.
std::vector<Sentence> heldOutSentences(Index count);

}  // namespace headscope::training
