#include "bench/documents.h"

#include <algorithm>
#include <vector>

#include "core/base/memory_budget.h"
#include "tests/core/support/document_of_size.h"

namespace headscope::bench {

DocumentPtr documentOf(Index dModel, Index heads, Index tokens) {
  return test::documentOfSize(dModel, heads, tokens, defaultMemoryBudget());
}

void bestOfNine(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.1)
      ->Repetitions(9)
      ->ReportAggregatesOnly(true)
      ->ComputeStatistics("best", [](const std::vector<double>& times) {
        return *std::min_element(times.begin(), times.end());
      });
}

Edit moveCell(TensorId id, float value) {
  const bool bias = id == TensorId::bQ || id == TensorId::bK || id == TensorId::bV;
  return SetCell{{id, info(id).perItem ? 0 : -1, -1, bias ? 0 : 17, 5}, value};
}

Edit paintCell(Index tokens, bool allowed) {
  PaintedMask painted{tokens, tokens,
                      std::vector<std::uint8_t>(static_cast<std::size_t>(tokens * tokens), 1)};
  painted.allowed[static_cast<std::size_t>(5 * tokens + 7)] = allowed ? 1 : 0;
  Mask mask;
  mask.painted = std::make_shared<const PaintedMask>(std::move(painted));
  return SetMask{mask};
}

}  // namespace headscope::bench
