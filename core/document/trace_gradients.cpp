#include "core/document/trace_gradients.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/tensor/finite.h"

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
    const bool few = id == TensorId::pairBias && !config.pairBias.ofPairs();
    if (!has(config, id) || few) continue;
    if (!view && !isComputedOnDemand(id)) needed += elementCount(shapeOf(id, config)) * 4;
  }
  if (needed <= budgetBytes) return;
  throw UserError(trFormat(
      "the gradients of this pass need {} with it, more than the memory budget of {}: reduce "
      "tokens, heads, batch or d_model",
      bytesInWords(needed), bytesInWords(budgetBytes)));
}

GradientsPtr gradientsOf(const TracePtr& trace, const Tensor& gradOutput,
                         const ExecutionContext& execution) {
  const AttentionConfig& c = trace->config();
  const Shape wanted = shapeOf(TensorId::output, c);
  if (gradOutput.shape() != wanted) {
    throw UserError(trFormat("grad_output is ({}), the output is ({}): give it that shape",
                             fmt::join(gradOutput.shape(), ", "), fmt::join(wanted, ", ")));
  }
  // the backward pass takes two products for each product of the forward pass
  const ScopedThreadLimit threads(
      threadsFor(2 * ledger(c).flops, execution.threads, execution.flopsPerThread));
  const auto gradients = std::make_shared<TraceGradients>(
      trace, gradOutput.contiguous() ? gradOutput : gradOutput.clone());
  const auto steps = stepsOf(c);
  if (!runBackward(*gradients, execution, steps.back()->id(), steps.front()->id())) return nullptr;
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    const auto index = firstNotFinite(gradients->tensor(id));
    if (!index) continue;
    throw UserError(trFormat(
        "grad.{}[{}] does not fit a 32-bit float (it overflows 3.4e38): scale grad_output down",
        info(id).name, fmt::join(*index, ", ")));
  }
  return gradients;
}

}  // namespace headscope
