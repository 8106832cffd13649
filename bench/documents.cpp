#include "bench/documents.h"

#include <algorithm>
#include <vector>

#include "core/ledger.h"
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

}  // namespace headscope::bench
