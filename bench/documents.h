// What the benchmarks share: documents of a given size, and how often each is repeated.
#pragma once

#include <benchmark/benchmark.h>

#include "core/document.h"

namespace headscope::bench {

/// Self-attention over `tokens` tokens of text; xavier weights, seed 1.
DocumentPtr documentOf(Index dModel, Index heads, Index tokens);

/// Nine runs of wall-clock time, of which the best and the median are printed: other work on the
/// machine only ever adds time.
void bestOfNine(benchmark::internal::Benchmark* benchmark);

}  // namespace headscope::bench
