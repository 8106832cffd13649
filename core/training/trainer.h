// Trainer: one run of training a model on a task: its settings, steps and results. It has no
// thread: the caller calls step() in a loop, and between steps may change the learning rate and the
// batch, read all results, and go back to any snapshot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/training/loss.h"
#include "core/training/roles.h"
#include "core/training/snapshots.h"
#include "core/training/task_model.h"

namespace headscope::training {

class TaskPass;

struct TrainingSettings {
  ModelSettings model;
  OptimiserSettings optimiser;
  Index batch = 32;
  Index steps = 300;
  std::uint64_t seed = 1;  // of the initial weights and the batches
  Index evaluateEvery = 25;
  Index snapshotBytes = Index{64} << 20;  // at most, of all snapshots

  bool operator==(const TrainingSettings&) const = default;
};

/// The default settings of the task.
TrainingSettings settingsOf(const Task& task);

/// The most bytes a run takes: parameters, passes, curves and snapshots.
Index bytesOf(const Task& task, const TrainingSettings& settings);

/// Throws UserError for invalid settings and, with the number of bytes, where the run would not fit
/// the budget.
void checkTraining(const Task& task, const TrainingSettings& settings, Index memoryBudgetBytes);

/// The lengths √Σ g² of a head's gradients: of its raw scores in the batch, its rows of W_Q, W_K
/// and W_V and its columns of W_O.
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
  Index step = 0;  // the number of steps taken
  Losses losses;
  Roles roles;
};
/// Evaluates a forward pass of the model after `step` steps. Empty if cancelled.
std::optional<Evaluation> evaluationOf(const TaskPass& pass, const Task& task, Index step,
                                       const ExecutionContext& execution);
inline constexpr Index kEvaluationExamples = 64;
Examples evaluationExamples(const Task& task);

/// The reason why a run stopped: a number that left the range of float32.
struct Stop {
  Index step = 0;      // the one that failed, from 1
  std::string tensor;  // "layers.0.raw_scores[3, 0, 1, 2]", or the parameter whose gradient it was
  Index back = 0;      // the step whose snapshot was restored
  std::string words;   // a sentence that says what to change
};

class Trainer {
 public:
  /// The task must live as long as this does. Throws UserError as checkTraining does.
  Trainer(const Task& task, const TrainingSettings& settings, Index memoryBudgetBytes);
  ~Trainer();

  /// Draws a batch, takes one step, and evaluates where that is due; the first call also evaluates
  /// before its step. Returns false where the run has stopped, or where `execution` was cancelled,
  /// after which the same step can be taken again.
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

  const Task& task() const { return model_.task(); }
  const TrainingSettings& settings() const { return settings_; }
  const TaskModel& model() const { return model_; }
  Index stepsTaken() const { return stepsTaken_; }
  const std::vector<StepRecord>& records() const { return records_; }
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }
  const Snapshots& snapshots() const { return snapshots_; }
  const std::optional<Stop>& stopped() const { return stopped_; }
  /// The last step's pass over its batch, forward and backward; null before the first. The weights
  /// among its operands are the parameters themselves, which the step has moved since.
  const TaskPass* lastPass() const { return pass_.get(); }
  double trainingMs() const { return trainingMs_; }  // of all steps, without evaluations

  /// The step of the first evaluation in which the relation was found; none where it never was.
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
  /// Returns whether this step's evaluation is the first in which some relation was found.
  bool foundNow() const;
  bool train(const ExecutionContext& execution);
  bool takeEvaluation(const ExecutionContext& execution);
  void stop(std::string tensor);
  void change(const TrainingSettings& settings);
  void keepMemory();

  TrainingSettings settings_;
  Index memoryBudgetBytes_;
  TaskModel model_;
  Examples evaluation_;
  Examples batch_;
  std::unique_ptr<TaskPass> pass_;
  BlockStorePtr memory_;
  Index stepsTaken_ = 0;
  double trainingMs_ = 0.0;
  std::vector<StepRecord> records_;
  std::vector<Evaluation> evaluations_;
  Snapshots snapshots_;
  std::optional<Stop> stopped_;
};

}  // namespace headscope::training
