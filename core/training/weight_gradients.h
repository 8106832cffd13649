// Weight gradients: the lengths of the gradients of W_Q and W_K compared with those of W_V and W_O
// over a run. At the start the weights are nearly uniform, and where a head looks matters little
// until its values are useful: values and output are learned first.
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

/// Says how many times longer the gradients of W_V and W_O are at the first step and, where the
/// ratio is large, the first step at which those of W_Q and W_K are at least half as long. Empty
/// before the first step.
std::string weightGradientsInWords(std::span<const StepRecord> records);

}  // namespace headscope::training
