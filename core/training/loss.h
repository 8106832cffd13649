// Loss: how wrong the answers are, one number, and the gradient of the logits by which the model
// learns. Cross-entropy, −log softmax(logits)[answer], where a question has classes; squared error
// where it asks for a number; each is the mean over the places where it is asked, and the whole is
// their sum by the questions' weights.
#pragma once

#include <span>
#include <vector>

#include "core/base/execution.h"
#include "core/training/task.h"

namespace headscope::training {

struct Answered {
  Index asked = 0;    // places
  double loss = 0.0;  // their mean
  /// The share of right answers, the likeliest class being the answer; of a number R² = 1 − Σ (y −
  /// t)² / Σ (t − mean t)², which is below 0 where the mean would have been the better answer.
  double accuracy = 0.0;
};

struct Losses {
  double loss = 0.0;                // Σ weight · loss
  std::vector<Answered> questions;  // in the task's order
};

/// logits (B,T,C): the questions' classes side by side. A question asked nowhere has loss 0 and
/// accuracy 0.
Losses lossesOf(const Tensor& logits, std::span<const Question> questions, const Examples& examples,
                const ExecutionContext& execution);

/// The same, and ∂loss/∂logits into a dense tensor of their shape: 0 where nothing is asked.
Losses lossesOf(const Tensor& logits, std::span<const Question> questions, const Examples& examples,
                const ExecutionContext& execution, Tensor& gradient);

}  // namespace headscope::training
