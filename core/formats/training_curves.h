// Training curves: a run's numbers over its steps as CSV, to plot elsewhere.
#pragma once

#include <span>
#include <string>

#include "core/images/shape_trainer.h"
#include "core/language/language_trainer.h"
#include "core/training/trainer.h"

namespace headscope::formats {

/// Returns one row per step, from 0, which is before the first: "step,loss,gradient_length" of its
/// batch, then "evaluation_loss", an "accuracy_…" per question and a "mass_…" per relation's head.
/// These are empty where the run was not evaluated after the step.
std::string curvesCsv(const training::Task& task, std::span<const training::StepRecord> records,
                      std::span<const training::Evaluation> evaluations);

/// Likewise of a language model: "held_out_loss", and a "accuracy_…" and a "look_…" per question
/// about stories, where it was asked them.
std::string curvesCsv(std::span<const model_training::StepRecord> records,
                      std::span<const language::LanguageEvaluation> evaluations);
/// Likewise of an image model: "held_out_loss", "accuracy", and of each head, as 1.0 (layer and
/// head from 0), "on_shape_1.0": its weight on the shape.
std::string curvesCsv(std::span<const model_training::StepRecord> records,
                      std::span<const images::ShapeEvaluation> evaluations, Index heads);

}  // namespace headscope::formats
