// Optimiser: updates parameters from their gradients by Adam (Kingma & Ba 2015) with decoupled
// weight decay (AdamW, Loshchilov & Hutter 2019), or by plain gradient descent, as
// torch.optim.AdamW and torch.optim.SGD compute them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/execution.h"
#include "core/tensor/tensor.h"

namespace headscope::training {

struct OptimiserSettings {
  enum class Method { adam, sgd } method = Method::adam;
  double learningRate = 1e-2;
  double beta1 = 0.9;  // Adam's decay rates of the gradients' mean and mean square
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double weightDecay = 0.0;  // every step shrinks a parameter by learningRate · weightDecay of it
  double clip = 1.0;         // longest gradient, over all parameters together; 0: any length

  bool operator==(const OptimiserSettings&) const = default;
};

/// A learned tensor, dense and not shared during training.
struct Parameter {
  std::string name;  // "layers.0.W_Q": in saved runs and messages
  Tensor value;
  Tensor gradient;      // of the same shape, dense
  Tensor mean, square;  // Adam's, of the same shape; empty before the first step
};

/// Takes one step on all parameters; `step` counts from 1. Returns the length of the whole
/// gradient, √Σ g², before clipping; where that is not finite no parameter changes. The bits do not
/// depend on the number of threads.
double takeStep(std::span<Parameter> parameters, const OptimiserSettings& settings, Index step,
                const ExecutionContext& execution);

/// The length √Σ g² of one tensor, in double, summed in one order on every thread count.
double lengthOf(const Tensor& gradient);

}  // namespace headscope::training
