// Documents of a given size, and the number of repetitions, shared by the benchmarks.
#pragma once

#include <benchmark/benchmark.h>

#include "core/document/document.h"
#include "core/editing/edit.h"

namespace headscope::bench {

/// Self-attention over `tokens` tokens of text; xavier weights, seed 1.
DocumentPtr documentOf(Index dModel, Index heads, Index tokens);

/// Repeats a benchmark nine times in wall-clock time and prints the best and the median: other work
/// on the machine only ever adds time.
void bestOfNine(benchmark::internal::Benchmark* benchmark);

/// Edits as the mouse makes them: of one value of a tensor, and of one cell of a mask of `tokens` ×
/// `tokens`.
Edit moveCell(TensorId id, float value);
Edit paintCell(Index tokens, bool allowed);

}  // namespace headscope::bench
