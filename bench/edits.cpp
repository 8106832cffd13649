// The time from an edit to the finished trace, given the trace before the edit: only the steps
// whose operands changed run.
#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "bench/documents.h"
#include "core/attention/switches.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/editing/edit.h"
#include "core/editing/history.h"
#include "tests/core/support/document_of_size.h"

namespace headscope::bench {
namespace {

/// Alternates between two edits, each applied to the result of the other.
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
    return SetWeights{"bench", std::move(weights), c.switches->bias, c.numHeads, c.numKvHeads};
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

/// The drag of one value: every edit is a step of the same gesture, as in the window.
void drag(benchmark::State& state, const std::function<Edit(float)>& edit) {
  const DocumentPtr start = documentFor(state);
  History history(start, defaultMemoryBudget());
  ExecutionContext execution;
  execution.memory = std::make_shared<BlockStore>();
  TracePtr trace = runAttention(start);
  float value = 0.0F;
  const auto next = [&] {
    value += 0.001F;
    history.apply(edit(value), "drag");
    trace = runAttention(history.current(), trace, execution);
  };
  for (int n = 0; n < 3; ++n) next();  // allocates the memory of the versions
  for (auto _ : state) next();
  state.counters["steps"] = trace->stepsRun();
}

void dragCell(benchmark::State& state, TensorId id) {
  drag(state, [id](float value) { return moveCell(id, value); });
}

void dragMaskCell(benchmark::State& state) {
  drag(state, [tokens = state.range(2), allowed = true](float) mutable {
    return paintCell(tokens, allowed = !allowed);
  });
}

/// A pass that runs every step: the reference for the times of the cell edits.
void wholePass(benchmark::State& state) {
  std::array<DocumentPtr, 2> documents{documentFor(state), nullptr};
  documents[1] = test::withNewInput(documents[0]);
  ExecutionContext execution;
  execution.memory = std::make_shared<BlockStore>();
  TracePtr trace = runAttention(documents[0]);
  for (auto _ : state) {
    std::swap(documents[0], documents[1]);
    trace = runAttention(documents[0], trace, execution);
  }
}

void cellSizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"D", "H", "T"})->Args({512, 8, 30})->Args({768, 12, 1024});
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"D", "H", "T"})->Args({512, 8, 30})->Args({768, 12, 128});
}

BENCHMARK(editOutputWeights)->Name("edit/W_O")->Apply(sizes)->Apply(bestOfNine);
BENCHMARK(editMask)->Name("edit/mask")->Apply(sizes)->Apply(bestOfNine);
BENCHMARK(wholePass)->Name("cell/whole_pass")->Apply(cellSizes)->Apply(bestOfNine);
BENCHMARK_CAPTURE(dragCell, W_O, TensorId::wO)
    ->Name("cell/W_O")
    ->Apply(cellSizes)
    ->Apply(bestOfNine);
BENCHMARK(dragMaskCell)->Name("cell/mask")->Apply(cellSizes)->Apply(bestOfNine);
BENCHMARK_CAPTURE(dragCell, W_Q, TensorId::wQ)
    ->Name("cell/W_Q")
    ->Apply(cellSizes)
    ->Apply(bestOfNine);
BENCHMARK_CAPTURE(dragCell, W_V, TensorId::wV)
    ->Name("cell/W_V")
    ->Apply(cellSizes)
    ->Apply(bestOfNine);
BENCHMARK_CAPTURE(dragCell, b_Q, TensorId::bQ)
    ->Name("cell/b_Q")
    ->Apply(cellSizes)
    ->Apply(bestOfNine);
BENCHMARK_CAPTURE(dragCell, X, TensorId::x)->Name("cell/X")->Apply(cellSizes)->Apply(bestOfNine);

BENCHMARK(editText)
    ->Name("edit/text")
    ->ArgNames({"D", "H", "T"})
    ->Args({512, 8, 6})
    ->Apply(bestOfNine);

}  // namespace
}  // namespace headscope::bench
