// Gradients: what one number, Σ output · grad_output, would change by for each operand and each
// result of an attention layer: ∂L/∂t in the shape of every tensor t, by TensorId
// (backpropagation: Rumelhart et al. 1986; the products of each step are in its own file).
//
// What is handed out by tile in the pass is so here: grad.masked_scores and grad.scores come from
// grad.weights row by row, grad.raw_scores is stored. A pinned cell has a gradient like any other,
// what it would have been computed from gets none through it.
#pragma once

#include <array>
#include <cstddef>

#include "core/attention/attention_tensors.h"
#include "core/attention/steps/step.h"
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

  /// A gradient cell's gradient; any other cell's forward value.
  float value(const CellRef& cell) const override;
  void tile(TensorId id, Index item, Index head, Index row, Index rows, Index col, Index cols,
            float* out) const override;

 private:
  const AttentionTensors* values_;
  std::array<bool, kEveryTensorCount> skipped_{};
};

/// Runs the steps backward, from one back to another, and fills in the gradients of their operands;
/// between two such runs a loss that is taken of a result itself may add to its gradient. False
/// where `execution` was cancelled. The number of threads is the caller's ScopedThreadLimit; the
/// bits do not depend on it.
bool runBackward(Gradients& gradients, const ExecutionContext& execution,
                 StepId from = StepId::output, StepId to = StepId::project);

}  // namespace headscope
