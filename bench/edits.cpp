// From an edit to the finished trace, when the trace before it is there: only the steps whose
// operands changed are run.
#include <array>

#include "bench/documents.h"
#include "core/attention.h"
#include "core/edit.h"
#include "core/ledger.h"

namespace headscope::bench {
namespace {

/// Goes to and fro between two edits, each on the result of the other.
void editBetween(benchmark::State& state, const DocumentPtr& start,
                 const std::array<Edit, 2>& edits) {
  DocumentPtr document = start;
  TracePtr trace = runAttention(document);
  std::size_t next = 0;
  for (auto _ : state) {
    document = apply(*document, edits[next], defaultMemoryBudget()).document;
    trace = runAttention(document, trace);
    next = 1 - next;
  }
  state.counters["steps"] = trace->stepsRun();
}

DocumentPtr documentFor(const benchmark::State& state) {
  return documentOf(state.range(0), state.range(1), state.range(2));
}

void editOutputWeights(benchmark::State& state) {
  const DocumentPtr document = documentFor(state);
  const auto with = [&](Tensor wO) {
    Weights weights = document->weights;
    weights.wO = std::move(wO);
    const AttentionConfig& c = document->config;
    return SetWeights{"bench", std::move(weights), c.bias, c.numHeads, c.numKvHeads};
  };
  // W_Q has W_O's shape and other values.
  editBetween(state, document, {with(document->weights.wQ), with(document->weights.wO)});
}

void editMask(benchmark::State& state) {
  const DocumentPtr document = documentFor(state);
  Mask causal = document->config.mask;
  causal.causal = true;
  editBetween(state, document, {SetMask{causal}, SetMask{document->config.mask}});
}

void editText(benchmark::State& state) {
  const DocumentPtr document = documentFor(state);
  const std::string text = std::get<TextSource>(*document->source).texts.front();
  editBetween(state, document, {SetText{0, false, "A " + text}, SetText{0, false, text}});
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"D", "H", "T"})->Args({512, 8, 30})->Args({768, 12, 128});
}

BENCHMARK(editOutputWeights)->Name("edit/W_O")->Apply(sizes)->Apply(bestOfNine);
BENCHMARK(editMask)->Name("edit/mask")->Apply(sizes)->Apply(bestOfNine);
BENCHMARK(editText)
    ->Name("edit/text")
    ->ArgNames({"D", "H", "T"})
    ->Args({512, 8, 6})
    ->Apply(bestOfNine);

}  // namespace
}  // namespace headscope::bench
