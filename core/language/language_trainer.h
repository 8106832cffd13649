// LanguageTrainer: one run of a language model that learns next tokens: its settings, steps and
// results. As training::Trainer it has no thread: the caller calls step() in a loop, and between
// steps reads all results, changes the learning rate, or goes back to a snapshot.
//
//   LanguageTrainer run(storyCorpus(1, 2'000'000), {}, budget);
//   while (!run.finished()) run.step(execution);
//   run.modelNow();  // opens wherever a model does
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/similarity.h"
#include "core/base/execution.h"
#include "core/language/corpus.h"
#include "core/language/language_model.h"
#include "core/language/story_answers.h"
#include "core/training/snapshots.h"
#include "core/training/trainer.h"

namespace headscope::language {

struct LanguageSettings {
  LanguageModelSettings model;
  training::OptimiserSettings optimiser{.learningRate = 1e-3, .weightDecay = 0.01};
  Index batch = 64;  // texts of `model.context` tokens
  Index steps = 1500;
  Index warmUp = 100;      // steps until the learning rate is reached; then it falls as a cosine
  std::uint64_t seed = 1;  // of the initial weights and the batches
  Index evaluateEvery = 50;
  Index snapshotBytes = Index{256} << 20;  // at most, of all snapshots

  bool operator==(const LanguageSettings&) const = default;
};

/// The most bytes a run takes.
Index bytesOf(const LanguageSettings& settings, Index vocabulary);
/// Throws UserError for invalid settings, and where the run would not fit the budget.
void checkTraining(const LanguageSettings& settings, Index vocabulary, Index memoryBudgetBytes);
/// The learning rate of a step, which counts from 1: a linear rise, then a cosine down to 0.
double learningRateAt(const LanguageSettings& settings, Index step);

struct LanguageRecord {
  Index step = 0;               // from 1
  double loss = 0.0;            // of its batch, in nats per token, before the parameters moved
  double gradientLength = 0.0;  // before it was clipped
};

struct LanguageEvaluation {
  Index step = 0;            // the number of steps taken
  double heldOutLoss = 0.0;  // nats per token
  std::vector<AnsweredQuestion>
      questions;  // as storyQuestions(); empty where the corpus has no stories
};

class LanguageTrainer {
 public:
  /// Throws UserError as checkTraining does.
  LanguageTrainer(CorpusPtr corpus, const LanguageSettings& settings, Index memoryBudgetBytes);
  ~LanguageTrainer();

  /// Takes one step, and evaluates where that is due; the first call also evaluates before its
  /// step. Returns false where the run has stopped, or where `execution` was cancelled, after which
  /// the same step can be taken again.
  bool step(const ExecutionContext& execution);
  /// Evaluates at the present step, unless that is done. Returns false where the run has stopped or
  /// was cancelled.
  bool evaluate(const ExecutionContext& execution);
  bool finished() const { return stepsTaken_ >= settings_.steps || stopped_.has_value(); }

  /// Goes back to the last snapshot at or before `step`; from there the run repeats exactly. Throws
  /// std::logic_error where there is none.
  void goBack(Index step);

  void setLearningRate(double rate);  // these three throw UserError for an invalid value
  void setBatch(Index batch);
  void setSteps(Index steps);

  const CorpusPtr& corpus() const { return corpus_; }
  const LanguageSettings& settings() const { return settings_; }
  const LanguageModel& model() const { return model_; }
  /// A copy of the present weights as a model, which opens wherever one does.
  model::ModelPtr modelNow() const;
  /// The model of the last snapshot at or before `step`.
  model::ModelPtr modelAt(Index step) const;
  Index stepsTaken() const { return stepsTaken_; }
  const std::vector<LanguageRecord>& records() const { return records_; }
  const std::vector<LanguageEvaluation>& evaluations() const { return evaluations_; }
  const training::Snapshots& snapshots() const { return snapshots_; }
  const std::optional<training::Stop>& stopped() const { return stopped_; }
  double trainingMs() const { return trainingMs_; }  // of all steps, without evaluations

  /// How alike the heads of each layer attend in the held-out text. Nothing where cancelled.
  std::optional<std::vector<HeadSimilarity>> similarity(const ExecutionContext& execution) const;

  /// The step of the first evaluation in which the question was answered; none where it never was.
  std::optional<Index> answeredAt(std::size_t question) const;

  /// Everything needed, with the corpus and the settings, to resume the run exactly.
  struct State {
    Index stepsTaken = 0;
    double trainingMs = 0.0;
    std::vector<LanguageRecord> records;
    std::vector<LanguageEvaluation> evaluations;
  };
  State state() const { return {stepsTaken_, trainingMs_, records_, evaluations_}; }
  /// Continues from a saved state. The caller first fills `parameters()`, with Adam's moments.
  void resume(State state);
  std::span<training::Parameter> parameters() { return model_.parameters(); }

 private:
  ExecutionContext withMemory(const ExecutionContext& execution) const;
  int threadsOf(Index tokens, const ExecutionContext& execution) const;
  bool train(const ExecutionContext& execution);
  struct HeldOut;
  std::unique_ptr<const HeldOut> heldOut(const ExecutionContext& execution) const;
  void stop(std::string tensor);
  void change(const LanguageSettings& settings);
  void keepMemory();
  std::string nameAt(Index step) const;

  CorpusPtr corpus_;
  LanguageSettings settings_;
  Index memoryBudgetBytes_;
  LanguageModel model_;
  BlockStorePtr memory_;
  Index stepsTaken_ = 0;
  double trainingMs_ = 0.0;
  std::vector<LanguageRecord> records_;
  std::vector<LanguageEvaluation> evaluations_;
  training::Snapshots snapshots_;
  std::optional<training::Stop> stopped_;
};

}  // namespace headscope::language
