// Trainer: one run of training a model on a task: its settings, its steps and what they gave. It
// knows no thread of its own: whoever trains calls step() in a loop, and may change the learning
// rate and the batch in between, look at everything, and go back to any snapshot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/training/loss.h"
#include "core/training/model.h"
#include "core/training/roles.h"
#include "core/training/snapshots.h"

namespace headscope::training {

struct TrainingSettings {
  ModelSettings model;
  OptimiserSettings optimiser;
  Index batch = 32;
  Index steps = 300;
  std::uint64_t seed = 1;  // of the start and of the batches
  Index evaluateEvery = 25;
  Index snapshotBytes = Index{64} << 20;  // at most, of all snapshots

  bool operator==(const TrainingSettings&) const = default;
};

/// What the task says works.
TrainingSettings settingsOf(const Task& task);

/// The most bytes a run takes: parameters, passes, curves and snapshots.
Index bytesOf(const Task& task, const TrainingSettings& settings);

/// Throws UserError for settings that no run can have, and, with the figure, where it would not fit
/// the budget.
void checkTraining(const Task& task, const TrainingSettings& settings, Index memoryBudgetBytes);

/// Lengths √Σ g² of a head's gradients: of all its raw scores in the batch, and of its rows of W_Q,
/// W_K and W_V and its columns of W_O.
struct HeadGradients {
  float rawScores = 0.0F, wQ = 0.0F, wK = 0.0F, wV = 0.0F, wO = 0.0F;

  bool operator==(const HeadGradients&) const = default;
};

struct StepRecord {
  Index step = 0;                    // from 1
  double loss = 0.0;                 // of its batch, before the parameters moved
  double gradientLength = 0.0;       // of all parameters, before it was clipped
  std::vector<HeadGradients> heads;  // layer by layer
};

/// Results on the evaluation examples, which are the same for every run of a task.
struct Evaluation {
  Index step = 0;  // how many had been taken
  Losses losses;
  Roles roles;
};
/// Evaluates a forward pass of the model after `step` steps. Empty if cancelled.
std::optional<Evaluation> evaluationOf(const ModelPass& pass, const Task& task, Index step,
                                       const ExecutionContext& execution);
inline constexpr Index kEvaluationExamples = 64;
Examples evaluationExamples(const Task& task);

/// Why a run cannot go on: a number that left float32.
struct Stop {
  Index step = 0;      // the one that failed, from 1
  std::string tensor;  // "layers.0.raw_scores[3, 0, 1, 2]", or the parameter whose gradient it was
  Index back = 0;      // the step whose snapshot the parameters are again
  std::string words;   // a sentence with the way out
};

class Trainer {
 public:
  /// The task must live as long as this does. Throws UserError as checkTraining does.
  Trainer(const Task& task, const TrainingSettings& settings, Index memoryBudgetBytes);

  /// Draws a batch, takes one step, and evaluates where that is due; at the very first also before
  /// it. False where nothing was done: the run has stopped, or `execution` was cancelled, after
  /// which the same step can be taken again.
  bool step(const ExecutionContext& execution);
  /// Evaluates after the present number of steps, where that is not done. False where the run has
  /// stopped or was cancelled.
  bool evaluate(const ExecutionContext& execution);
  bool finished() const { return stepsTaken_ >= settings_.steps || stopped_.has_value(); }

  /// Goes back to the last snapshot at or before `step`; from there the run repeats exactly. Throws
  /// std::logic_error where there is none.
  void goBack(Index step);

  void setLearningRate(double rate);  // throws UserError, as the next two
  void setBatch(Index batch);
  void setSteps(Index steps);

  const Task& task() const { return model_.task(); }
  const TrainingSettings& settings() const { return settings_; }
  const Model& model() const { return model_; }
  Index stepsTaken() const { return stepsTaken_; }
  const std::vector<StepRecord>& records() const { return records_; }
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }
  const Snapshots& snapshots() const { return snapshots_; }
  const std::optional<Stop>& stopped() const { return stopped_; }
  /// The last step's pass over its batch, forward and backward; null before the first. The weights
  /// among its operands are the parameters themselves, which the step has moved since.
  const ModelPass* lastPass() const { return pass_.get(); }
  double trainingMs() const { return trainingMs_; }  // of all steps, evaluations apart

  /// The first evaluation in which a head of the relation's own had found it; none where none had.
  std::optional<Index> foundAt(std::size_t relation) const;

  /// Everything needed, with the settings, to resume the run exactly.
  struct State {
    Index stepsTaken = 0;
    double trainingMs = 0.0;
    std::vector<StepRecord> records;
    std::vector<Evaluation> evaluations;
  };
  State state() const { return {stepsTaken_, trainingMs_, records_, evaluations_}; }
  /// Continues from a saved state. The caller first fills `parameters()`, with Adam's moments.
  void resume(State state);
  std::span<Parameter> parameters() { return model_.parameters(); }

 private:
  ExecutionContext withMemory(const ExecutionContext& execution) const;
  /// Whether the evaluation of this step is the first in which some relation was found.
  bool foundNow() const;
  bool train(const ExecutionContext& execution);
  bool takeEvaluation(const ExecutionContext& execution);
  void stop(std::string tensor);
  void change(const TrainingSettings& settings);
  void keepMemory();

  TrainingSettings settings_;
  Index memoryBudgetBytes_;
  Model model_;
  Examples evaluation_;
  Examples batch_;
  std::unique_ptr<ModelPass> pass_;
  BlockStorePtr memory_;
  Index stepsTaken_ = 0;
  double trainingMs_ = 0.0;
  std::vector<StepRecord> records_;
  std::vector<Evaluation> evaluations_;
  Snapshots snapshots_;
  std::optional<Stop> stopped_;
};

}  // namespace headscope::training
