// Random draws, and the edits that draw new weights (4 million at d_model 1024), up to the document
// from which a pass would start; undo keeps the old weights.
#include <array>
#include <cstdint>

#include "bench/documents.h"
#include "core/base/memory_budget.h"
#include "core/base/random.h"
#include "core/editing/edit.h"
#include "core/editing/history.h"
#include "core/presets/presets.h"
#include "core/tensor/random_tensors.h"

namespace headscope::bench {
namespace {

void drawFourMillion(benchmark::State& state, Distribution distribution) {
  Tensor values = Tensor::zeros({2048, 2048});
  const std::array draws{Draw{&values, RandomStream(1, "W_Q"), distribution, 0.1F}};
  for (auto _ : state) draw(draws, static_cast<int>(state.range(0)));  // 0: one per core
}

/// Applies each edit to the result of the one before, as the window does.
template <typename Next>
void editInTurn(benchmark::State& state, const DocumentPtr& start, Next next) {
  History history(start, defaultMemoryBudget());
  int count = 0;
  for (auto _ : state) history.apply(next(count++));
}

void editPreset(benchmark::State& state, WeightInit init) {
  const auto preset = [init](const char* name, int count) {
    const auto seed = static_cast<std::uint64_t>(count);
    return makePreset(presetByName(name), {init, seed, {}}, defaultMemoryBudget());
  };
  editInTurn(state, preset("by-hand", 0), [&](int count) {
    return Open{preset("bert-large", count), "preset bert-large"};
  });
}

void editModelWidth(benchmark::State& state) {
  editInTurn(state, documentOf(1024, 16, 30), [](int count) {
    return SetDimensions{count % 2 == 0 ? 1008 : 1024, 16, 16};
  });
}

void editSeed(benchmark::State& state, WeightInit init) {
  editInTurn(state, documentOf(1024, 16, 30), [init](int count) {
    return DrawWeights{init, static_cast<std::uint64_t>(count) + 2};
  });
}

void threads(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("threads")->Arg(1)->Arg(0)->Apply(bestOfNine);
}

BENCHMARK_CAPTURE(drawFourMillion, , Distribution::uniform)->Name("draw/uniform")->Apply(threads);
BENCHMARK_CAPTURE(drawFourMillion, , Distribution::normal)->Name("draw/normal")->Apply(threads);
BENCHMARK_CAPTURE(editPreset, , WeightInit::xavier)->Name("edit/preset/xavier")->Apply(bestOfNine);
BENCHMARK_CAPTURE(editPreset, , WeightInit::normal)->Name("edit/preset/normal")->Apply(bestOfNine);
BENCHMARK_CAPTURE(editPreset, , WeightInit::designed)
    ->Name("edit/preset/designed")
    ->Apply(bestOfNine);
BENCHMARK(editModelWidth)->Name("edit/d_model")->Apply(bestOfNine);
BENCHMARK_CAPTURE(editSeed, , WeightInit::xavier)->Name("edit/seed/xavier")->Apply(bestOfNine);
BENCHMARK_CAPTURE(editSeed, , WeightInit::normal)->Name("edit/seed/normal")->Apply(bestOfNine);

}  // namespace
}  // namespace headscope::bench
