// What the benchmarks share: documents of a given size, and how often each is repeated.
#pragma once

#include <benchmark/benchmark.h>

#include "core/document/document.h"
#include "core/editing/edit.h"

namespace headscope::bench {

/// Self-attention over `tokens` tokens of text; xavier weights, seed 1.
DocumentPtr documentOf(Index dModel, Index heads, Index tokens);

/// Nine runs of wall-clock time, of which the best and the median are printed: other work on the
/// machine only ever adds time.
void bestOfNine(benchmark::internal::Benchmark* benchmark);

/// What a hand does to one value of a tensor, and to one cell of a mask of `tokens` × `tokens`.
Edit moveCell(TensorId id, float value);
Edit paintCell(Index tokens, bool allowed);

}  // namespace headscope::bench
