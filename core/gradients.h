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
#include <limits>
#include <memory>

#include "core/execution.h"
#include "core/trace.h"

namespace headscope {

class Gradients : public LayerTensors {
 public:
  /// Nothing but grad.output yet, (B,T,D) and dense. The pass must live as long as this does.
  Gradients(const AttentionTensors& values, Tensor gradOutput);

  const AttentionTensors& values() const { return *values_; }

  /// An operand whose gradient nobody asks for: the products that it would take are not made.
  void leaveOut(TensorId operand) { leftOut_[static_cast<std::size_t>(operand)] = true; }
  bool leftOut(TensorId operand) const { return leftOut_[static_cast<std::size_t>(operand)]; }

  /// A stored result's gradient as it goes on to what the result is computed from: 0 where a cell
  /// is pinned.
  Tensor passedOn(TensorId result) const;

  /// Of a cell that is a gradient, that; of any other its value in the pass.
  float value(const CellRef& cell) const override;
  void tile(TensorId id, Index item, Index head, Index row, Index rows, Index col, Index cols,
            float* out) const override;

 private:
  const AttentionTensors* values_;
  std::array<bool, kEveryTensorCount> leftOut_{};
};

/// Runs the steps backward, from one back to another, and fills in the gradients of their operands;
/// between two such runs a loss that is taken of a result itself may add to its gradient. False
/// where `execution` was cancelled. The number of threads is the caller's ThreadCount; the bits do
/// not depend on it.
bool runBackward(Gradients& gradients, const Execution& execution, StepId from = StepId::output,
                 StepId to = StepId::project);

/// The gradients of a whole pass, and that pass.
class TraceGradients final : public Gradients {
 public:
  TraceGradients(TracePtr trace, Tensor gradOutput)
      : Gradients(*trace, std::move(gradOutput)), trace_(std::move(trace)) {}

  const Trace& trace() const { return *trace_; }

 private:
  TracePtr trace_;
};
using GradientsPtr = std::shared_ptr<const TraceGradients>;

/// 1 for every cell of the output: the gradients are those of its sum then.
Tensor gradOutputOfSum(const AttentionConfig& config);

/// Throws UserError with the figure where gradients beside their pass would not fit `budgetBytes`.
void checkGradientsFit(const AttentionConfig& config, Index budgetBytes);

/// Null where `execution` was cancelled. Throws UserError where grad.output is not of the output's
/// shape, or a gradient does not fit a float32, naming it.
GradientsPtr gradientsOf(const TracePtr& trace, const Tensor& gradOutput,
                         const Execution& execution = {});

/// The same, which can be left off between two steps and gone on with: without a thread for it,
/// frames are drawn meanwhile. What `execution` points to must live as long as this does.
class GradientsPass {
 public:
  GradientsPass(const TracePtr& trace, const Tensor& gradOutput, const Execution& execution);

  /// Works on for so long, and the step under way then. True where it has ended. Throws as
  /// gradientsOf does.
  bool goOn(double seconds = std::numeric_limits<double>::infinity());
  /// Once it has ended: null where it was cancelled.
  GradientsPtr gradients() const { return complete_ ? gradients_ : nullptr; }

 private:
  Execution execution_;
  int threads_;
  std::size_t left_;  // steps
  std::shared_ptr<TraceGradients> gradients_;
  bool complete_ = false;
};

}  // namespace headscope
