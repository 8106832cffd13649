// Tied readout: how a layer that is to learn sentences is asked its eight questions. Block q of the
// concatenated heads is asked question q: the answer at a place is the word of the sentence whose
// value the block resembles most, or "none".
//
// Nothing of it but the bias of "none" is learned: it reads through W_O and W_V as they were at the
// start, so a head that looks at the right word answers right from the first step on, and its
// weights learn to look:
//   logit_q(i, j) = 5 · (output_i · R_q) · (P_q · identity_j),
// R_q block q of the columns of that W_O (orthogonal), P_q block q of the rows of that W_V. Which
// head gets which question is set by this; where it looks is learned.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/execution.h"
#include "core/tensor.h"
#include "core/training/sentences.h"

namespace headscope::training {

/// Sentences side by side, the shorter ones padded.
class SentenceBatch {
 public:
  /// `known` are the words of drawSentence, sorted.
  SentenceBatch(const std::vector<Sentence>& sentences, const std::vector<std::string>& known);

  Index count = 0;
  Index length = 0;
  std::vector<Index> lengths;  // of each
  std::vector<Index> words;    // (count, length), by number; −1: padding
  /// (count, questions, length, length + 1): each answer's share of the right ones, the last
  /// "none". Partners share, and equal words share again: they cannot be told apart. A row of
  /// padding is 0.
  std::vector<float> answers;
  std::array<Index, kWordQuestions> rowsWithPartner{}, rowsWithout{};

  Index word(Index item, Index place) const {
    return words[static_cast<std::size_t>(item * length + place)];
  }
  const float* answersAt(Index item, Index question) const {
    return answers.data() + firstAnswer(item, question);
  }

 private:
  Index firstAnswer(Index item, Index question) const {
    return (item * static_cast<Index>(kWordQuestions) + question) * length * (length + 1);
  }
};

/// The columns of the concatenated heads that a question is asked of.
struct QuestionColumns {
  Index begin = 0;
  Index count = 0;
};
QuestionColumns columnsOfQuestion(Index question, Index concatWidth);

/// What came of asking.
struct Answers {
  double loss = 0.0;
  std::array<double, kWordQuestions> right{};  // share, of rows with a partner
  Tensor gradOutput;                           // (B,T,D)
  Tensor gradNone;                             // (questions)
};

class TiedReadout {
 public:
  /// W_O (D, H·d_k) at the start, and every word's value then, (words, H·d_k), as it would stand in
  /// the concatenated heads.
  TiedReadout(const Tensor& wO, Tensor wordValues);

  /// The loss of an output (B,T,D): over questions the mean of the cross-entropy of rows with a
  /// partner, + 0.3 times that of rows without. `none`: the bias of that answer, by question.
  Answers ask(const Tensor& output, const SentenceBatch& batch, const Tensor& none,
              const Execution& execution) const;

 private:
  Tensor read_, readTransposed_;  // R (D, H·d_k)
  Tensor wordValues_;
};

}  // namespace headscope::training
