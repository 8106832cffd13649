// ShapeTrainer: one run of an image model that learns to name shapes: its settings and results; its
// steps are those of every whole model in training (model_trainer.h). Every step draws new
// pictures.
//
//   ShapeTrainer run({}, budget);
//   while (!run.finished()) run.step(execution);
//   run.modelNow();  // opens wherever a model does
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/similarity.h"
#include "core/images/image_model.h"
#include "core/images/shape_answers.h"
#include "core/model_training/model_trainer.h"

namespace headscope::images {

/// A batch has drawings. The defaults are those of the model that ships.
struct ShapeSettings : model_training::Schedule {
  ShapeSettings() {
    optimiser.learningRate = 2e-3;
    batch = 32;
    steps = 2000;
  }

  ImageModelSettings model;

  bool operator==(const ShapeSettings&) const = default;
};

/// The most bytes a run takes.
Index bytesOf(const ShapeSettings& settings);
/// Throws UserError for invalid settings, and where the run would not fit the budget.
void checkTraining(const ShapeSettings& settings, Index memoryBudgetBytes);

struct ShapeEvaluation {
  Index step = 0;  // the number of steps taken
  ShapeAnswers answers;
};

class ShapeTrainer final : public model_training::ModelTrainer {
 public:
  /// Throws UserError as checkTraining does.
  ShapeTrainer(const ShapeSettings& settings, Index memoryBudgetBytes);

  const ShapeSettings& settings() const { return settings_; }
  const ImageModel& model() const { return model_; }
  /// A copy of the present weights as a model, which opens wherever one does.
  model::ModelPtr modelNow() const;
  const std::vector<ShapeEvaluation>& evaluations() const { return evaluations_; }

  /// How alike the heads of each layer attend in held-out drawings. Nothing where cancelled.
  std::optional<std::vector<HeadSimilarity>> similarity(const ExecutionContext& execution) const;

  /// The step of the first evaluation in which nine of ten shapes were named; none where it never
  /// was.
  std::optional<Index> answeredAt() const;

  /// Everything needed, with the settings, to resume the run exactly.
  struct State {
    Index stepsTaken = 0;
    double trainingMs = 0.0;
    std::vector<model_training::StepRecord> records;  // losses in nats per drawing
    std::vector<ShapeEvaluation> evaluations;
  };
  State state() const { return {stepsTaken(), trainingMs(), records(), evaluations_}; }
  /// Continues from a saved state. The caller first fills `parameters()`, with Adam's moments.
  void resume(State state);
  std::span<training::Parameter> parameters() override { return model_.parameters(); }

 private:
  const model_training::Schedule& schedule() const override { return settings_; }
  void change(const model_training::Schedule& schedule) override;
  Work stepWork() const override;
  Work evaluationWork() const override;
  std::optional<BatchResult> runBatch(Index step, const ExecutionContext& execution) override;
  Index evaluatedAt() const override {
    return evaluations_.empty() ? -1 : evaluations_.back().step;
  }
  std::optional<BatchResult> addEvaluation(const ExecutionContext& execution) override;
  void dropEvaluationsAfter(Index step) override;

  ShapeSettings settings_;
  Index memoryBudgetBytes_;
  ImageModel model_;
  std::vector<ShapeEvaluation> evaluations_;
};

}  // namespace headscope::images
