// A linear layer, y = x Wᵀ + b (nn.Linear), as the steps `project` and `output` both are.
#pragma once

#include <optional>
#include <vector>

#include "core/steps/step.h"

namespace headscope {

struct LinearLayer {
  TensorId x, weight, bias, y;
};

/// W (out, in) in memory as products read it fastest, at nearly the processor's peak however few
/// the rows (bench/README.md): Wᵀ in dense panels of kPanel columns, (out / kPanel, in, kPanel);
/// the last of several is filled up with 0, a narrow matrix is one narrow panel.
inline constexpr Index kPanel = 128;
Tensor packedMemory(const Tensor& weight);
Index packedCount(const Shape& weight);  // numbers in it
void packPanel(const Tensor& weight, Index panel, Tensor& packed);

/// Computes a box of y into the trace; its rows may run on into the next items. False where a value
/// overflowed. Without a bias in
/// the configuration none is added.
bool computeLinear(Trace& trace, const LinearLayer& layer, const Box& box);

/// The box from what it was before, where only a part of x's columns changed: y + Δx · Wᵀ over
/// these; see Step::patch. Nothing where more changed.
std::optional<float> patchLinear(Trace& trace, const Trace& before, const LinearLayer& layer,
                                 const Box& box);

/// What of y (of that shape) depends on what changed of x, the weight and the bias.
Change affectedByLinear(const Shape& y, const Change& x, const Change& weight, const Change& bias);

/// The same product on its own: x (B, T, in) · weight (out, in) → (B, T, out); `bias` (out) may be
/// empty. What is left when the pass is cancelled is not computed.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Execution& execution);

/// A box of y cut into pieces of work, by its shape alone, so that the bits are the same however
/// many threads there are.
void cutLinear(const Box& box, std::vector<Box>& pieces);

/// A multiply-add counts 2, a bias 1 per element.
Index linearFlops(const Shape& out, Index in, bool bias);

/// y[b, t, o] = Σ_j x[b, t, j] · W[o, j] + b[o]; the bias is the last term, with right = "1".
Explanation explainLinear(const Trace& trace, const CellRef& cell, TensorId x, TensorId weight,
                          TensorId bias);

}  // namespace headscope
