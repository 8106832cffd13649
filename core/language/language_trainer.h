// LanguageTrainer: one run of a language model that learns next tokens: its settings and results;
// its steps are those of every whole model in training (model_trainer.h).
//
//   LanguageTrainer run(storyCorpus(1, 2'000'000), {}, budget);
//   while (!run.finished()) run.step(execution);
//   run.modelNow();  // opens wherever a model does
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/similarity.h"
#include "core/language/corpus.h"
#include "core/language/language_model.h"
#include "core/language/story_answers.h"
#include "core/model_training/model_trainer.h"

namespace headscope::language {

/// A batch has texts of `model.context` tokens.
struct LanguageSettings : model_training::Schedule {
  LanguageModelSettings model;

  bool operator==(const LanguageSettings&) const = default;
};

/// The most bytes a run takes.
Index bytesOf(const LanguageSettings& settings, Index vocabulary);
/// Throws UserError for invalid settings, and where the run would not fit the budget.
void checkTraining(const LanguageSettings& settings, Index vocabulary, Index memoryBudgetBytes);
struct LanguageEvaluation {
  Index step = 0;            // the number of steps taken
  double heldOutLoss = 0.0;  // nats per token
  std::vector<AnsweredQuestion>
      questions;  // as storyQuestions(); empty where the corpus has no stories
};

class LanguageTrainer final : public model_training::EvaluatedTrainer<LanguageEvaluation> {
 public:
  /// Throws UserError as checkTraining does.
  LanguageTrainer(CorpusPtr corpus, const LanguageSettings& settings, Index memoryBudgetBytes);

  const CorpusPtr& corpus() const { return corpus_; }
  const LanguageSettings& settings() const { return settings_; }
  const LanguageModel& model() const { return model_; }
  /// A copy of the present weights as a model, which opens wherever one does.
  model::ModelPtr modelNow() const;
  /// The model of the last snapshot at or before `step`.
  model::ModelPtr modelAt(Index step) const;

  /// How alike the heads of each layer attend in the held-out text. Nothing where cancelled.
  std::optional<std::vector<HeadSimilarity>> similarity(const ExecutionContext& execution) const;

  /// The step of the first evaluation in which the question was answered; none where it never was.
  std::optional<Index> answeredAt(std::size_t question) const;

  std::span<training::Parameter> parameters() override { return model_.parameters(); }

 private:
  const model_training::Schedule& schedule() const override { return settings_; }
  void change(const model_training::Schedule& schedule) override;
  Work stepWork() const override;
  Work evaluationWork() const override;
  std::optional<BatchResult> runBatch(Index step, const ExecutionContext& execution) override;
  std::optional<BatchResult> addEvaluation(const ExecutionContext& execution) override;
  bool madeDiscovery() const override;

  struct HeldOut;
  std::unique_ptr<const HeldOut> heldOut(const ExecutionContext& execution) const;
  std::string nameAt(Index step) const;

  CorpusPtr corpus_;
  LanguageSettings settings_;
  Index memoryBudgetBytes_;
  LanguageModel model_;
};

}  // namespace headscope::language
