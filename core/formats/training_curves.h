// Training curves: a run's numbers over its steps as CSV, to plot elsewhere.
#pragma once

#include <span>
#include <string>

#include "core/training/trainer.h"

namespace headscope::formats {

/// One row for each step, from 0, which is before the first: "step,loss,gradient_length", its
/// batch's; then, where the run was evaluated after the step, "evaluation_loss", an "accuracy_…"
/// of every question and a "mass_…" of every relation's head, which are empty elsewhere.
std::string curvesCsv(const training::Task& task, std::span<const training::StepRecord> records,
                      std::span<const training::Evaluation> evaluations);

}  // namespace headscope::formats
