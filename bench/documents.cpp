#include "bench/documents.h"

#include <algorithm>
#include <vector>

#include "core/ledger.h"

namespace headscope::bench {

DocumentPtr documentOf(Index dModel, Index heads, Index tokens) {
  AttentionConfig config;
  config.dModel = dModel;
  config.numHeads = heads;
  config.numKvHeads = heads;
  config.seqLen = tokens;
  return makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}}, Positions::named,
                      WeightSource{}, defaultMemoryBudget(), true);
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
