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

class ShapeTrainer final : public model_training::EvaluatedTrainer<ShapeEvaluation> {
 public:
  /// Throws UserError as checkTraining does.
  ShapeTrainer(const ShapeSettings& settings, Index memoryBudgetBytes);

  const ShapeSettings& settings() const { return settings_; }
  const ImageModel& model() const { return model_; }
  /// A copy of the present weights as a model, which opens wherever one does.
  model::ModelPtr modelNow() const;

  /// How alike the heads of each layer attend in held-out drawings. Nothing where cancelled.
  std::optional<std::vector<HeadSimilarity>> similarity(const ExecutionContext& execution) const;

  /// The step of the first evaluation in which nine of ten shapes were named; none where it never
  /// was.
  std::optional<Index> answeredAt() const;

  std::span<training::Parameter> parameters() override { return model_.parameters(); }

 private:
  const model_training::Schedule& schedule() const override { return settings_; }
  void change(const model_training::Schedule& schedule) override;
  Work stepWork() const override;
  Work evaluationWork() const override;
  std::optional<BatchResult> runBatch(Index step, const ExecutionContext& execution) override;
  std::optional<BatchResult> addEvaluation(const ExecutionContext& execution) override;

  ShapeSettings settings_;
  Index memoryBudgetBytes_;
  ImageModel model_;
};

}  // namespace headscope::images
