// A linear layer, y = x Wᵀ + b (nn.Linear), as the steps `project` and `output` both are.
#pragma once

#include "core/steps/step.h"

namespace headscope {

/// x (B, T, in) · weight (out, in) → (B, T, out); `bias` (out) may be empty. What is left when the
/// pass is cancelled is not computed.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Execution& execution);

/// A multiply-add counts 2, a bias 1 per element.
Index linearFlops(const Shape& out, Index in, bool bias);

/// y[b, t, o] = Σ_j x[b, t, j] · W[o, j] + b[o]; the bias is the last term, with right = "1".
Explanation explainLinear(const Trace& trace, const CellRef& cell, TensorId x, TensorId weight,
                          TensorId bias);

}  // namespace headscope
