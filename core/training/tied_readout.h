// Tied readout: how a layer that is to learn where to look is asked its eight questions. Block q of
// the concatenated heads is asked question q: the answer at a place is the place (the word of the
// sentence, the step of the series) whose value the block resembles most, or "none".
//
// Nothing of it but the bias of "none" is learned: it reads through W_O and W_V as they were at the
// start, so a head that looks at the right place answers right from the first step on, and its
// weights learn to look:
//   logit_q(i, j) = 5 · (output_i · R_q) · (P_q · identity_j),
// R_q block q of the columns of that W_O (orthogonal), P_q block q of the rows of that W_V. Which
// head gets which question is set by this; where it looks is learned.
#pragma once

#include <array>

#include "core/base/execution.h"
#include "core/tensor/tensor.h"
#include "core/training/curriculum.h"

namespace headscope::training {

/// The columns of the concatenated heads that a question is asked of.
struct QuestionColumns {
  Index begin = 0;
  Index count = 0;
};
QuestionColumns columnsOfQuestion(Index question, Index concatWidth);

/// What came of asking.
struct Answers {
  double loss = 0.0;
  std::array<double, kLayerQuestions> right{};  // share, of rows with a partner
  Tensor gradOutput;                            // (B,T,D)
  Tensor gradNone;                              // (questions)
};

class TiedReadout {
 public:
  /// W_O (D, H·d_k) at the start.
  explicit TiedReadout(const Tensor& wO);

  /// The loss of an output (B,T,D): over questions the mean of the cross-entropy of rows with a
  /// partner, + 0.3 times that of rows without. `values` (B,T,H·d_k): the places' at the start, as
  /// they would stand in the concatenated heads; `none`: the bias of that answer, by question.
  Answers ask(const Tensor& output, const Tensor& values, const AskedBatch& batch,
              const Tensor& none, const ExecutionContext& execution) const;

 private:
  Tensor read_, readTransposed_;  // R (D, H·d_k)
};

}  // namespace headscope::training
