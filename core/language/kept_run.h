// Kept run: what the page Train shows of a run on stories, at each step that is evaluated, as a
// file: the text that the model writes, the next words of one sentence, every head's attention
// there, and the answers. It replaces the minutes that the run itself takes. The weights are not
// kept.
//
//   RunKeeper keeper(budget);
//   while (!run.finished()) {
//     run.step(execution);
//     keeper.look(run, execution);
//   }
//   formats::saveKeptRun("run.safetensors", keeper.kept());
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/language/language_trainer.h"
#include "core/model/prediction.h"

namespace headscope::language {

struct KeptMoment {
  LanguageEvaluation evaluation;  // of this step
  double loss = 0.0;              // of the step's batch
  std::string written;
  std::vector<model::TokenProbability> next;  // after the sentence, the most probable first
  std::vector<double> without;                // by question: right without the head that looks most
  Tensor attentions;                          // (L, H, T, T)

  Index step() const { return evaluation.step; }
};

struct KeptRun {
  LanguageSettings settings;
  std::string sentence;
  std::vector<std::string> tokens;               // T names
  std::vector<std::optional<Index>> answeredAt;  // the step, by question
  std::vector<KeptMoment> moments;               // in order, the first at step 0
};

/// Gathers the moments of a run while it takes its steps.
class RunKeeper {
 public:
  explicit RunKeeper(Index memoryBudgetBytes) : memoryBudgetBytes_(memoryBudgetBytes) {}

  /// Keeps the present step if it was just evaluated.
  void look(const LanguageTrainer& run, const ExecutionContext& execution);
  const KeptRun& kept() const { return kept_; }

 private:
  Index memoryBudgetBytes_;
  KeptRun kept_;
};

}  // namespace headscope::language
