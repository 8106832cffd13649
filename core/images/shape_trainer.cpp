#include "core/images/shape_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/images/shape_batch.h"
#include "core/model/image_embedding.h"

namespace headscope::images {
namespace {
using model_training::ModelTrainer;

constexpr double kAnswered = 0.9;  // the share of right answers
constexpr Index kEvaluatedAtOnce = 100;
constexpr Index kComparedDrawings = 64;

Index tokensPerDrawing(const ShapeSettings& s) {
  const model::ImageInput image = inputOf(s.model);
  return image.tokensOf(image.size);
}

/// Multiplies and adds of a forward pass over so many drawings.
Index flopsOf(const ShapeSettings& s, Index drawings) {
  const Index tokens = tokensPerDrawing(s);
  return drawings * tokens *
         model_training::flopsPerToken(s.model.ofLayers(), parameterCount(s.model), tokens);
}

/// The bytes of a pass over so many drawings, and with `backward` of its gradients.
Index bytesOfDrawings(const ShapeSettings& s, Index drawings, bool backward) {
  const Index tokens = tokensPerDrawing(s);
  const model::ModelConfig config = configOf(s.model);
  const Index pixels = drawings * tokens * model::patchNumbers(config.image);
  return model_training::bytesOfPass(config, drawings, tokens, drawings * kShapeKinds, backward) +
         pixels * static_cast<Index>(sizeof(float));
}

}  // namespace

Index bytesOf(const ShapeSettings& s) {
  return bytesOfRun(s, parameterCount(s.model)) + bytesOfDrawings(s, s.batch, true) +
         bytesOfDrawings(s, kEvaluatedAtOnce, false);
}

void checkTraining(const ShapeSettings& s, Index memoryBudgetBytes) {
  checkImageModel(s.model);
  checkSchedule(s);
  const Index needed = bytesOf(s);
  if (needed <= memoryBudgetBytes) return;
  throw UserError(
      fmt::format("training {} layers of d_model {} with batches of {} pictures needs {}, more "
                  "than the memory budget of {}: reduce batch, d_model or layers",
                  s.model.layers, s.model.dModel, withThousands(s.batch), bytesInWords(needed),
                  bytesInWords(memoryBudgetBytes)));
}

ShapeTrainer::ShapeTrainer(const ShapeSettings& settings, Index memoryBudgetBytes)
    : EvaluatedTrainer(settings),
      settings_((checkTraining(settings, memoryBudgetBytes), settings)),
      memoryBudgetBytes_(memoryBudgetBytes),
      model_(settings.model, settings.seed) {
  keepMemory();
}

ModelTrainer::Work ShapeTrainer::stepWork() const {
  return {flopsOf(settings_, 3 * settings_.batch),
          bytesOfDrawings(settings_, settings_.batch, true)};
}

ModelTrainer::Work ShapeTrainer::evaluationWork() const {
  return {flopsOf(settings_, kEvaluatedAtOnce),
          bytesOfDrawings(settings_, kEvaluatedAtOnce, false)};
}

std::optional<ModelTrainer::BatchResult> ShapeTrainer::runBatch(Index step,
                                                                const ExecutionContext& execution) {
  std::vector<Drawing> drawings(static_cast<std::size_t>(settings_.batch));
  parallelFor(settings_.batch, execution, [&](Index i) {
    training::Draws draws(settings_.seed, fmt::format("shape {} of batch {}", i, step));
    drawings[static_cast<std::size_t>(i)] = drawShape(draws);
  });
  if (execution.stop()) return std::nullopt;
  const ShapeBatch batch(drawings, settings_.model, execution);
  ImagePass pass(model_, batch.patches);
  if (!pass.forward(execution)) return std::nullopt;
  Tensor gradient = Tensor::uninitialised(pass.logits().shape(), execution.memory);
  const double loss = batch.losses(pass.logits(), execution, gradient).loss;
  if (execution.stop()) return std::nullopt;
  if (!std::isfinite(loss)) return BatchResult{loss, pass.firstNotFinite()};
  if (!pass.backward(model_, gradient, execution)) return std::nullopt;
  return BatchResult{loss};
}

std::optional<ModelTrainer::BatchResult> ShapeTrainer::addEvaluation(
    const ExecutionContext& execution) {
  auto answers = shapeAnswers(model_, execution);
  if (!answers) return std::nullopt;
  const BatchResult result{answers->loss, "the loss of the held-out pictures"};
  if (std::isfinite(result.loss)) keep({stepsTaken(), std::move(*answers)});
  return result;
}

void ShapeTrainer::change(const model_training::Schedule& schedule) {
  ShapeSettings changed = settings_;
  static_cast<model_training::Schedule&>(changed) = schedule;
  checkTraining(changed, memoryBudgetBytes_);
  settings_ = changed;
}

std::optional<std::vector<HeadSimilarity>> ShapeTrainer::similarity(
    const ExecutionContext& execution) const {
  const ShapeBatch batch(heldOutDrawings(kComparedDrawings), settings_.model, execution);
  ImagePass pass(model_, batch.patches);
  if (!pass.forward(execution)) return std::nullopt;
  std::vector<HeadSimilarity> layers;
  for (Index layer = 0; layer < settings_.model.layers; ++layer) {
    auto of = headSimilarity(pass.weights(layer), execution);
    if (!of) return std::nullopt;
    layers.push_back(std::move(*of));
  }
  return layers;
}

model::ModelPtr ShapeTrainer::modelNow() const {
  return model_.model(fmt::format("Shapes, step {}", withThousands(stepsTaken())));
}

std::optional<Index> ShapeTrainer::answeredAt() const {
  const auto first = std::ranges::find_if(
      evaluations(), [](const ShapeEvaluation& e) { return e.answers.right >= kAnswered; });
  return first == evaluations().end() ? std::nullopt : std::optional(first->step);
}

}  // namespace headscope::images
