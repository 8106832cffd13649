#include "core/analysis/per_head.h"

#include <algorithm>
#include <cmath>

#include "core/attention/config.h"
#include "core/attention/steps/linear.h"
#include "core/attention/switches.h"
#include "core/base/execution.h"
#include "core/document/trace.h"
#include "core/platform/threads.h"

namespace headscope {
namespace {

constexpr double kPerHeadMs = 250.0;
constexpr int kMostPerHeadRuns = 200;
constexpr double kLongMs = 1000.0;

struct Times {  // milliseconds
  double together = 0.0, perHead = 0.0;
};

template <typename Work>
auto timed(double& ms, Work&& work) {
  const double start = clockSeconds();
  auto result = work();
  ms = millisecondsSince(start);
  return result;
}

Tensor together(const ProjectionOperands& o, const ExecutionContext& execution) {
  return linear(o.x, o.weight, o.bias, execution);
}

std::vector<Tensor> headByHead(const ProjectionOperands& o, const ExecutionContext& execution) {
  const Index width = o.headWidth();
  std::vector<Tensor> heads;
  for (Index h = 0; h < o.heads && !execution.stop(); ++h) {
    const Index begin = h * width;
    const Index end = begin + width;
    heads.push_back(linear(o.x, o.weight.slice(0, begin, end),
                           o.bias.empty() ? Tensor{} : o.bias.slice(0, begin, end), execution));
  }
  return heads;
}

void findDifference(const ProjectionOperands& o, const Tensor& whole, PerHeadComparison& result) {
  const Index width = o.headWidth();
  const Index rows = whole.dim(0) * whole.dim(1);
  const ConstMatrixView all = whole.reshaped({rows, whole.dim(2)}).matrix();
  for (Index h = 0; h < o.heads; ++h) {
    const Tensor& head = result.perHead[static_cast<std::size_t>(h)];
    const ConstMatrixView own = head.reshaped({rows, width}).matrix();
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < width; ++c) {
        const double value = all(r, h * width + c);
        result.largestValue = std::max(result.largestValue, std::abs(value));
        result.largestDifference = std::max(result.largestDifference, std::abs(value - own(r, c)));
      }
    }
  }
}

}  // namespace

ProjectionOperands projectionOperands(const Trace& trace, TensorId part) {
  const AttentionConfig& c = trace.config();
  const bool query = part == TensorId::q;
  const TensorId weight = query ? TensorId::wQ : part == TensorId::k ? TensorId::wK : TensorId::wV;
  const TensorId bias = query ? TensorId::bQ : part == TensorId::k ? TensorId::bK : TensorId::bV;
  const bool memory = !query && c.crossAttention();
  return {trace.tensor(memory ? TensorId::memory : TensorId::x), trace.tensor(weight),
          c.switches->bias ? trace.tensor(bias) : Tensor{}, query ? c.numHeads : c.numKvHeads};
}

std::optional<PerHeadComparison> comparePerHead(const ProjectionOperands& operands,
                                                const ExecutionContext& execution) {
  const Index flops = linearFlops({operands.x.dim(0), operands.x.dim(1), operands.weight.dim(0)},
                                  operands.weight.dim(1), !operands.bias.empty());
  const ScopedThreadLimit threads(threadsFor(flops, execution.threads));
  PerHeadComparison result;
  const double start = clockSeconds();
  Times first;
  {
    const Tensor whole = timed(first.together, [&] { return together(operands, execution); });
    result.perHead = timed(first.perHead, [&] { return headByHead(operands, execution); });
    if (execution.stop()) return std::nullopt;
    findDifference(operands, whole, result);
  }
  // the first run may have waited for the library's kernels to be generated: it counts only where
  // it is long, and then it is the only one
  Times best = first;
  result.runs = 1;
  if (first.together + first.perHead < kLongMs) {
    result.runs = 0;
    do {
      Times run;
      timed(run.together, [&] { return together(operands, execution); });
      timed(run.perHead, [&] { return headByHead(operands, execution); });
      if (execution.stop()) return std::nullopt;
      best.together = result.runs == 0 ? run.together : std::min(best.together, run.together);
      best.perHead = result.runs == 0 ? run.perHead : std::min(best.perHead, run.perHead);
      ++result.runs;
    } while (result.runs < kMostPerHeadRuns && millisecondsSince(start) < kPerHeadMs);
  }
  result.togetherMs = best.together;
  result.perHeadMs = best.perHead;
  return result;
}

}  // namespace headscope
