// A first pass of every preset: weights packed, all nine steps, every result kept.
#include "bench/passes.h"

#include <fmt/format.h>

#include "bench/documents.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/presets/presets.h"

namespace headscope::bench {

void registerPasses() {
  for (const Preset& preset : presets()) {
    for (const int threads : {0, 1}) {  // 0: one per core
      const auto pass = [&preset, threads](benchmark::State& state) {
        const DocumentPtr document = makePreset(preset, {}, defaultMemoryBudget());
        ExecutionContext execution;
        execution.threads = threads;
        for (auto _ : state) benchmark::DoNotOptimize(runAttention(document, nullptr, execution));
      };
      const std::string name =
          fmt::format("pass/{}/{}", preset.name, threads == 0 ? "all_threads" : "one_thread");
      benchmark::RegisterBenchmark(name.c_str(), pass)->Apply(bestOfNine);
    }
  }
}

}  // namespace headscope::bench
