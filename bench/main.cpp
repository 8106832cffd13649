// headscope_bench: the benchmarks of the other files; takes Google Benchmark's flags.
#include <benchmark/benchmark.h>

#include "bench/passes.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  headscope::bench::registerPasses();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
