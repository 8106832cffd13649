// Trace gradients: the gradients of a finished pass (gradients.h) together with that pass.
//
//   const GradientsPtr gradients = gradientsOf(trace, gradOutputOfSum(trace->config()));
#pragma once

#include <memory>
#include <utility>

#include "core/attention/gradients.h"
#include "core/base/execution.h"
#include "core/document/trace.h"

namespace headscope {

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

/// Returns 1 for every cell of the output, which gives the gradients of its sum.
Tensor gradOutputOfSum(const AttentionConfig& config);

/// Throws UserError with the figure where a pass with gradients would not fit `budgetBytes`.
void checkGradientsFit(const AttentionConfig& config, Index budgetBytes);

/// Null where `execution` was cancelled. Throws UserError where grad.output is not of the output's
/// shape, or a gradient does not fit a float32, naming it.
GradientsPtr gradientsOf(const TracePtr& trace, const Tensor& gradOutput,
                         const ExecutionContext& execution = {});

}  // namespace headscope
