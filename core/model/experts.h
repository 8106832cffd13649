// Experts: which experts of a mixture each token goes to, and the mixture's output, forward and
// backward.
#pragma once

#include <vector>

#include "core/base/execution.h"
#include "core/model/model_weights.h"

namespace headscope::model {

/// An expert that computes for a token, and the weight of its output.
struct ChosenExpert {
  Index expert = 0;
  double weight = 0.0;
};

/// Returns the experts of each token, in descending order of their scores. `x` (1, T, D) is the
/// input of the layer's network.
std::vector<std::vector<ChosenExpert>> chosenExperts(const Tensor& x, const ExpertWeights& weights,
                                                     const ModelConfig& config,
                                                     const ExecutionContext& execution);

/// Returns Σ weight · expert(x) over each token's experts, plus the shared network's output.
Tensor mixtureOfExperts(const Tensor& x, const ExpertWeights& weights, const ModelConfig& config,
                        const ExecutionContext& execution);
/// Returns the gradient of x from `dy`, that of the output: through the experts and through their
/// weights, with the choice of the experts held.
Tensor mixtureOfExpertsBackward(const Tensor& x, const Tensor& dy, const ExpertWeights& weights,
                                const ModelConfig& config, const ExecutionContext& execution);

}  // namespace headscope::model
