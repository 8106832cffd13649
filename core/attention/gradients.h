// Gradients: the derivatives ∂L/∂t of L = Σ output · grad_output with respect to each operand and
// result t of an attention layer, in the shape of t, by TensorId (backpropagation: Rumelhart et al.
// 1986; the products of each step are in its own file).
//
// Two of them are computed on demand by `tile`, as in the pass: grad.masked_scores and grad.scores
// come from grad.weights row by row; grad.raw_scores is stored. A pinned cell has a gradient like
// any other, but passes none to the operands from which it would have been computed.
#pragma once

#include <array>
#include <cstddef>

#include "core/attention/attention_tensors.h"
#include "core/attention/steps/step_id.h"
#include "core/base/execution.h"

namespace headscope {

class Gradients : public LayerTensors {
 public:
  /// Starts with grad.output (B,T,D), which must be dense. `values` must outlive this object.
  Gradients(const AttentionTensors& values, Tensor gradOutput);

  const AttentionTensors& values() const { return *values_; }

  /// Skips the gradient of an operand, with the products that it would take.
  void skipGradient(TensorId operand) { skipped_[static_cast<std::size_t>(operand)] = true; }
  bool skipsGradient(TensorId operand) const { return skipped_[static_cast<std::size_t>(operand)]; }

  /// A stored result's gradient as it reaches the operands of the result: 0 where a cell is pinned.
  Tensor gradientThroughPins(TensorId result) const;

  /// The gradient of a gradient cell; the forward value of any other cell.
  float value(const CellRef& cell) const override;
  void tile(TensorId id, Index item, Index head, Index row, Index rows, Index col, Index cols,
            float* out) const override;

 private:
  const AttentionTensors* values_;
  std::array<bool, kEveryTensorCount> skipped_{};
};

/// Runs the steps backward, starting with `from` and ending with `to`, and fills in the gradients
/// of their operands. Between two such runs, a loss on a result itself may add to its gradient.
/// False where `execution` was cancelled. The caller's ScopedThreadLimit limits the threads; the
/// bits do not depend on their number.
bool runBackward(Gradients& gradients, const ExecutionContext& execution,
                 StepId from = StepId::output, StepId to = StepId::project);

}  // namespace headscope
