// Everyday sentences that no grammar of ours made, with partners as a person gives them, and how
// well the heads of a layer find these partners.
//
// They lie in tests/data/everyday_sentences.json, one half for tuning, one half kept back. A pair
// "slept > cat" reads: the word "slept" has the partner "cat"; "it > cat | mat" has either; "the#2"
// is the second "the".
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/weights.h"
#include "core/training/sentences.h"

namespace headscope::test {

/// The halves: "tuning" and "held_back".
std::vector<training::Sentence> everydaySentences(const std::string& half);

/// Counted over the words that have a partner.
struct PartnersFound {
  int asked = 0;
  int right = 0;        // the largest weight of the asked head is on a partner
  double weight = 0.0;  // total weight of the asked heads on partners

  double share() const { return static_cast<double>(right) / asked; }
  double meanWeight() const { return weight / asked; }
  void add(const PartnersFound& other);
};

struct SentencesFound {
  std::array<PartnersFound, training::kWordQuestions> byQuestion;
  std::string missed;  // the words whose head looks elsewhere, a line for each sentence

  PartnersFound all() const;
  /// The figures of each question, and the words that were missed.
  std::string table() const;
};

/// Question q is asked of head q of a layer with as many heads as there are questions.
SentencesFound partnersFound(const Weights& weights, const AttentionConfig& config,
                             const std::vector<training::Sentence>& sentences);

}  // namespace headscope::test
