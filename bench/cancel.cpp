// The time from an edit until the engine's thread is free for it, in the middle of a long pass.
#include <algorithm>
#include <chrono>
#include <thread>

#include "app/worker.h"
#include "bench/documents.h"
#include "core/base/execution.h"
#include "core/document/trace.h"

namespace headscope::bench {
namespace {

constexpr int kMoments = 12;  // spread over the pass

void cancelLongPass(benchmark::State& state) {
  const DocumentPtr longDocument = documentOf(state.range(0), state.range(1), state.range(2));
  const DocumentPtr next = documentOf(8, 2, 3);
  const double whole = [&] {
    Scheduler scheduler;
    Worker worker(scheduler, Priority::edit, 0);
    worker.request(longDocument);
    worker.wait();
    return worker.take()->trace->ms / 1e3;
  }();
  double longest = 0.0;
  int moment = 0;
  for (auto _ : state) {
    Scheduler scheduler;
    Worker worker(scheduler, Priority::edit, 0);
    worker.request(longDocument);
    const double after = whole * (moment++ % kMoments + 0.5) / kMoments;
    while (worker.progress().busy && worker.progress().seconds < after) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const double edited = clockSeconds();
    worker.request(next);
    worker.wait();
    const double seconds = clockSeconds() - edited;
    state.SetIterationTime(seconds);
    longest = std::max(longest, seconds);
  }
  state.counters["pass_ms"] = 1e3 * whole;
  state.counters["longest_ms"] = 1e3 * longest;
}

BENCHMARK(cancelLongPass)
    ->Name("cancel")
    ->ArgNames({"D", "H", "T"})
    ->Args({1024, 16, 1024})
    ->Args({256, 16, 4096})
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(kMoments);

}  // namespace
}  // namespace headscope::bench
