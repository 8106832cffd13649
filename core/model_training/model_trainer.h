// ModelTrainer: the run of a whole model that is trained: its schedule, steps, snapshots and the
// reason why it stopped. A kind of model derives from it and says what a batch is, how the model is
// evaluated, and how much work both are. As training::Trainer it has no thread: the caller calls
// step() in a loop, and between steps reads all results, changes the learning rate, or goes back to
// a snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/block_store.h"
#include "core/base/execution.h"
#include "core/training/snapshots.h"
#include "core/training/trainer.h"

namespace headscope::model_training {

struct Schedule {
  training::OptimiserSettings optimiser{.learningRate = 1e-3, .weightDecay = 0.01};
  Index batch = 64;  // inputs of a step
  Index steps = 1500;
  Index warmUp = 100;      // steps until the learning rate is reached; then it falls as a cosine
  std::uint64_t seed = 1;  // of the initial weights and the batches
  Index evaluateEvery = 50;
  Index snapshotBytes = Index{256} << 20;  // at most, of all snapshots

  bool operator==(const Schedule&) const = default;
};

/// Throws UserError that names a setting outside of its range.
void checkSchedule(const Schedule& schedule);
/// The learning rate of a step, which counts from 1: a linear rise, then a cosine down to 0.
double learningRateAt(const Schedule& schedule, Index step);
/// The bytes of so many parameters with their gradients and moments, and of the snapshots.
Index bytesOfRun(const Schedule& schedule, Index parameters);

struct StepRecord {
  Index step = 0;               // from 1
  double loss = 0.0;            // of its batch, before the parameters moved
  double gradientLength = 0.0;  // before it was clipped
};

class ModelTrainer {
 public:
  virtual ~ModelTrainer() = default;
  ModelTrainer(const ModelTrainer&) = delete;
  ModelTrainer& operator=(const ModelTrainer&) = delete;

  /// Takes one step, and evaluates where that is due; the first call also evaluates before its
  /// step. Returns false where the run has stopped, or where `execution` was cancelled, after which
  /// the same step can be taken again.
  bool step(const ExecutionContext& execution);
  /// Evaluates at the present step, unless that is done. Returns false where the run has stopped or
  /// was cancelled.
  bool evaluate(const ExecutionContext& execution);
  bool finished() const { return stepsTaken_ >= schedule().steps || stopped_.has_value(); }

  /// Goes back to the last snapshot at or before `step`; from there the run repeats exactly. Throws
  /// std::logic_error where there is none.
  void goBack(Index step);

  void setLearningRate(double rate);  // these three throw UserError for an invalid value
  void setBatch(Index batch);
  void setSteps(Index steps);

  Index stepsTaken() const { return stepsTaken_; }
  const std::vector<StepRecord>& records() const { return records_; }
  const training::Snapshots& snapshots() const { return snapshots_; }
  const std::optional<training::Stop>& stopped() const { return stopped_; }
  double trainingMs() const { return trainingMs_; }  // of all steps, without evaluations
  virtual std::span<training::Parameter> parameters() = 0;

 protected:
  explicit ModelTrainer(const Schedule& schedule);

  /// The result of a pass over a batch: its loss, or the name of what is not a finite number.
  struct BatchResult {
    double loss = 0.0;
    std::string notFinite = {};
  };
  /// The work of a step or of an evaluation: multiplies and adds, and the most bytes.
  struct Work {
    Index flops = 0, bytes = 0;
  };

  /// The snapshot's parameters. Throws std::logic_error where there is none at or before `step`.
  const training::Snapshot& snapshotAt(Index step) const;
  void resumeAt(Index stepsTaken, double trainingMs, std::vector<StepRecord> records);
  /// Keeps the memory of both kinds of passes from now on; derived classes call it once they can
  /// answer work().
  void keepMemory();
  ExecutionContext withMemory(const ExecutionContext& execution) const;

 private:
  virtual const Schedule& schedule() const = 0;
  /// Takes over a changed schedule. Throws UserError where it is invalid.
  virtual void change(const Schedule& schedule) = 0;
  virtual Work stepWork() const = 0;
  virtual Work evaluationWork() const = 0;
  /// Runs the batch of step `step`, which counts from 0, forward and backward: fills in the
  /// gradients. Nothing where cancelled.
  virtual std::optional<BatchResult> runBatch(Index step, const ExecutionContext& execution) = 0;
  /// The step of the last evaluation; −1: none.
  virtual Index evaluatedAt() const = 0;
  /// Adds an evaluation at the present step, unless a number is not finite. Nothing where
  /// cancelled.
  virtual std::optional<BatchResult> addEvaluation(const ExecutionContext& execution) = 0;
  virtual void dropEvaluationsAfter(Index step) = 0;
  /// Returns whether the newest evaluation is the first with a discovery, so that its snapshot is
  /// never dropped.
  virtual bool madeDiscovery() const { return false; }

  bool train(const ExecutionContext& execution);
  void stop(std::string what);

  BlockStorePtr memory_;
  Index stepsTaken_ = 0;
  double trainingMs_ = 0.0;
  std::vector<StepRecord> records_;
  training::Snapshots snapshots_;
  std::optional<training::Stop> stopped_;
};

/// A trainer that keeps its evaluations, each with the `step` after which it was made.
template <typename Evaluation>
class EvaluatedTrainer : public ModelTrainer {
 public:
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }

  /// Everything needed, with the settings and the data, to resume the run exactly.
  struct State {
    Index stepsTaken = 0;
    double trainingMs = 0.0;
    std::vector<StepRecord> records;  // losses in nats
    std::vector<Evaluation> evaluations;
  };
  State state() const { return {stepsTaken(), trainingMs(), records(), evaluations_}; }
  /// Continues from a saved state. The caller first fills `parameters()`, with Adam's moments.
  void resume(State state) {
    resumeAt(state.stepsTaken, state.trainingMs, std::move(state.records));
    evaluations_ = std::move(state.evaluations);
  }

 protected:
  using ModelTrainer::ModelTrainer;
  void keep(Evaluation evaluation) { evaluations_.push_back(std::move(evaluation)); }

 private:
  Index evaluatedAt() const final { return evaluations_.empty() ? -1 : evaluations_.back().step; }
  void dropEvaluationsAfter(Index step) final {
    std::erase_if(evaluations_, [step](const Evaluation& e) { return e.step > step; });
  }

  std::vector<Evaluation> evaluations_;
};

}  // namespace headscope::model_training
