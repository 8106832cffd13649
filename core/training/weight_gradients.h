// Weight gradients: how long the gradients of W_Q and W_K are beside those of W_V and W_O over a
// run. At the start weights are nearly uniform, and where a head looks matters little before what
// it carries is of use: values and output are learned first.
#pragma once

#include <span>
#include <string>

#include "core/training/trainer.h"

namespace headscope::training {

/// Lengths over all heads of all layers.
struct WeightGradients {
  double queryKey = 0.0, valueOutput = 0.0;
};
WeightGradients weightGradients(const StepRecord& record);

/// How many times longer those of W_V and W_O are at the first step, and, where that is much, at
/// which step the others are at least half as long for the first time. Empty before the first step.
std::string weightGradientsInWords(std::span<const StepRecord> records);

}  // namespace headscope::training
