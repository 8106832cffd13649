#include "core/trace_gradients.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/finite.h"
#include "core/ledger.h"
#include "core/words/numbers.h"

namespace headscope {

Tensor gradOutputOfSum(const AttentionConfig& config) {
  Tensor ones = Tensor::uninitialised(shapeOf(TensorId::output, config));
  std::fill_n(ones.mutableData(), ones.size(), 1.0F);
  return ones;
}

void checkGradientsFit(const AttentionConfig& config, Index budgetBytes) {
  const Ledger pass = ledger(config);
  Index needed = pass.residentBytes;
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    const bool view = id == TensorId::heads || id == TensorId::qProj || id == TensorId::kProj ||
                      id == TensorId::vProj;
    if (!has(config, id)) continue;
    if (!view && !isComputedOnDemand(id)) needed += elementCount(shapeOf(id, config)) * 4;
  }
  if (needed <= budgetBytes) return;
  throw UserError(fmt::format(
      "the gradients of this pass need {} with it, more than the memory budget of {}: reduce "
      "tokens, heads, batch or d_model",
      bytesInWords(needed), bytesInWords(budgetBytes)));
}

GradientsPass::GradientsPass(const TracePtr& trace, const Tensor& gradOutput,
                             const Execution& execution)
    : execution_(execution), left_(stepsOf(trace->config()).size()) {
  const AttentionConfig& c = trace->config();
  const Shape wanted = shapeOf(TensorId::output, c);
  if (gradOutput.shape() != wanted) {
    throw UserError(fmt::format("grad_output is ({}), the output is ({}): give it that shape",
                                fmt::join(gradOutput.shape(), ", "), fmt::join(wanted, ", ")));
  }
  // forward once over, and twice as much back: a product for each of its two operands
  threads_ = threadsFor(2 * ledger(c).flops, execution.threads, execution.flopsPerThread);
  gradients_ = std::make_shared<TraceGradients>(
      trace, gradOutput.contiguous() ? gradOutput : gradOutput.clone());
}

bool GradientsPass::goOn(double seconds) {
  const double until = clockSeconds() + seconds;
  const ThreadCount threads(threads_);
  const auto steps = stepsOf(gradients_->config());
  while (left_ > 0) {
    const StepId step = steps[--left_]->id();
    if (!runBackward(*gradients_, execution_, step, step)) return true;
    if (left_ > 0 && clockSeconds() >= until) return false;
  }
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    const auto index = firstNotFinite(gradients_->tensor(id));
    if (!index) continue;
    throw UserError(fmt::format(
        "grad.{}[{}] does not fit a 32-bit float (it overflows 3.4e38): scale grad_output down",
        info(id).name, fmt::join(*index, ", ")));
  }
  complete_ = true;
  return true;
}

GradientsPtr gradientsOf(const TracePtr& trace, const Tensor& gradOutput,
                         const Execution& execution) {
  GradientsPass pass(trace, gradOutput, execution);
  pass.goOn();
  return pass.gradients();
}

}  // namespace headscope
