// Loss: one number for the error of the answers, and its gradient in the logits. Cross-entropy,
// −log softmax(logits)[answer], where a question has classes; squared error where it asks for a
// number. Each is the mean over the places where the question is asked; the total is their sum with
// the questions' weights.
#pragma once

#include <span>
#include <vector>

#include "core/base/execution.h"
#include "core/training/task.h"

namespace headscope::training {

struct Answered {
  Index asked = 0;    // places
  double loss = 0.0;  // mean over these places
  /// The share of right answers, the most probable class being the answer. For a number R² = 1 − Σ
  /// (y − t)² / Σ (t − mean t)², which is below 0 where the mean is the better answer.
  double accuracy = 0.0;
};

struct Losses {
  double loss = 0.0;                // Σ weight · loss
  std::vector<Answered> questions;  // in the task's order
};

/// Computes the losses of logits (B,T,C), the questions' classes side by side. A question asked
/// nowhere has loss 0 and accuracy 0.
Losses lossesOf(const Tensor& logits, std::span<const Question> questions, const Examples& examples,
                const ExecutionContext& execution);

/// Also writes ∂loss/∂logits into a dense tensor of the logits' shape: 0 where nothing is asked.
Losses lossesOf(const Tensor& logits, std::span<const Question> questions, const Examples& examples,
                const ExecutionContext& execution, Tensor& gradient);

}  // namespace headscope::training
