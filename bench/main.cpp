// headscope_bench: the benchmarks of the other files; takes Google Benchmark's flags, or
// --memory=D,H,T (see memory.py), --tokens=DIR,FILE or --model=DIR[,TOKENS].
#include <benchmark/benchmark.h>

#include "bench/memory.h"
#include "bench/model_page.h"
#include "bench/passes.h"
#include "bench/tokens.h"

int main(int argc, char** argv) {
  if (argc == 2 && headscope::bench::measureMemory(argv[1])) return 0;
  if (argc == 2 && headscope::bench::measureTokens(argv[1])) return 0;
  if (argc == 2 && headscope::bench::measureModelPage(argv[1])) return 0;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  headscope::bench::registerPasses();
  headscope::bench::registerTraining();
  headscope::bench::registerViews();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
