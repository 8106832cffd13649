// Tied readout: the answers of a layer to its eight questions during training. Question q is asked
// of block q of the concatenated heads. The answer at a place is the place (the word of the
// sentence, the step of the series) whose value the block resembles most, or "none".
//
// Only the bias of "none" is learned. The readout uses the initial W_O and W_V, so that a head that
// looks at the right place answers right from the first step on, and training changes where it
// looks:
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

/// The loss of the answers and its gradients.
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

  /// The loss of an output (B,T,D): the mean over questions of the cross-entropy of rows with a
  /// partner + 0.3 times that of rows without. `values` (B,T,H·d_k): the initial values of the
  /// places in the layout of the concatenated heads; `none`: the bias of "none", by question.
  Answers ask(const Tensor& output, const Tensor& values, const AskedBatch& batch,
              const Tensor& none, const ExecutionContext& execution) const;

 private:
  Tensor read_, readTransposed_;  // R (D, H·d_k)
};

}  // namespace headscope::training
