// A linear layer, y = x Wᵀ + b (nn.Linear), as the steps `project` and `output` both are.
#pragma once

#include <span>
#include <vector>

#include "core/attention/tensor_id.h"
#include "core/base/execution.h"
#include "core/tensor/half_matrix.h"

namespace headscope {

class AttentionTensors;
class Gradients;
struct Explanation;
struct LinearLayer;

/// The layout of W (out, in) that products read fastest, near the processor's peak even with few
/// rows (bench/README.md): Wᵀ in dense panels of kPanel columns, (out / kPanel, in, kPanel). The
/// last of several panels is padded with 0; a narrow matrix is one narrow panel.
inline constexpr Index kPanel = 128;
Tensor packedMemory(const Tensor& weight, const BlockStorePtr& store);
Index packedCount(const Shape& weight);  // numbers in it
void packPanel(const Tensor& weight, Index panel, Tensor& packed);

/// Cuts y (B, T, out) into pieces of work by its shape alone, so that the bits do not depend on the
/// number of threads. Rows are counted across items; each piece lies in one panel.
std::vector<Box> linearPieces(const Shape& y);

/// Computes a piece of y. False where a value overflowed.
bool computeLinear(AttentionTensors& tensors, const LinearLayer& layer, const Box& piece);

/// A linear layer outside of a pass: x (B, T, in) · weight (out, in) → (B, T, out); `bias` (out)
/// may be empty. Where the work is cancelled, the rest of the result is undefined.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const ExecutionContext& execution);

/// A weight (out, in) that is stored only in panels: as float32, or in the 16 bits of its file,
/// whose blocks are widened while they are multiplied.
struct PackedWeight {
  Index out = 0;
  Tensor panels;        // as packedMemory
  HalfMatrix halves{};  // in the place of `panels`: their rows in half precision

  bool empty() const { return panels.empty() && halves.empty(); }
  Index bytes() const;
  /// The panels as float32; a copy where they are kept in 16 bits.
  Tensor widenedPanels() const;
};
/// Packs a weight; an empty weight gives an empty result.
PackedWeight packed(const Tensor& weight);
PackedWeight packed(const StoredMatrix& weight);
/// The linear layer above, for weights that are stored in 16 bits or packed.
Tensor linear(const Tensor& x, const StoredMatrix& weight, const Tensor& bias,
              const ExecutionContext& execution);
Tensor linear(const Tensor& x, const PackedWeight& weight, const Tensor& bias,
              const ExecutionContext& execution);

/// A multiply-add counts 2, a bias 1 per element.
Index linearFlops(const Shape& out, Index in, bool bias);

/// The operands of y: x, the weight and, where the configuration has one, the bias.
std::vector<TensorId> linearOperands(const LinearLayer& layer, const AttentionConfig& config);

/// The backward pass of one of several linear layers that read the same x: its weight and the
/// gradient of y (B, T, out) go in; the gradients of weight and bias come out.
struct LinearBackward {
  const Tensor& weight;  // (out, in)
  const Tensor& dy;
  bool bias = false;
  bool weightWanted = true;  // otherwise dWeight and dBias stay empty
  Tensor dWeight = {};       // dyᵀ x, of the weight's shape
  Tensor dBias = {};         // Σ dy (out), where there is a bias
};
/// Fills in dWeight and dBias, and returns the gradient of x (B, T, in), dense: Σ dy · weight over
/// the layers; empty unless `wanted`.
Tensor linearBackward(const Tensor& x, std::span<LinearBackward> layers,
                      const ExecutionContext& execution, bool wanted = true);

/// The gradient of x alone: dy (B, T, out) · weight (out, in) → (B, T, in), dense.
Tensor linearInputGradient(const Tensor& dy, const Tensor& weight,
                           const ExecutionContext& execution);
Tensor linearInputGradient(const Tensor& dy, const StoredMatrix& weight,
                           const ExecutionContext& execution);
Tensor linearInputGradient(const Tensor& dy, const PackedWeight& weight,
                           const ExecutionContext& execution);

/// linearBackward for all layers of a step (one or two inputs). Skips inputs and weights whose
/// gradient is skipped (Gradients::skipGradient); a skipped weight's bias is skipped with it.
void linearGradients(Gradients& gradients, std::span<const LinearLayer> layers,
                     const ExecutionContext& execution);

/// y[b, t, o] = Σ_j x[b, t, j] · W[o, j] + b[o]; the bias is the last term, with right = "1".
Explanation explainLinear(const AttentionTensors& tensors, const CellRef& cell,
                          const LinearLayer& layer);
/// grad.x[b, t, j] = Σ_o grad.y[b, t, o] · W[o, j], grad.W[o, j] = Σ_bt grad.y[b, t, o] · x[b, t,
/// j] and grad.b[o] = Σ_bt grad.y[b, t, o].
Explanation explainLinearGradient(const Gradients& gradients, const CellRef& cell,
                                  std::span<const LinearLayer> layers);

}  // namespace headscope
