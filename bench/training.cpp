// One training step (batch drawn, forward, loss, backward, Adam): of every task with its own
// settings, of models of other sizes, and of the layer that learns from sentences.
#include <fmt/format.h>

#include <string>

#include "bench/documents.h"
#include "bench/passes.h"
#include "bench/peer/training_sizes.h"
#include "core/base/memory_budget.h"
#include "core/training/learned_layer.h"
#include "core/training/trainer.h"

namespace headscope::bench {
namespace {

void trainingStep(benchmark::State& state, const training::Task& task,
                  training::TrainingSettings settings, int threads) {
  settings.steps = settings.evaluateEvery = 100'000;  // steps alone
  training::Trainer trainer(task, settings, defaultMemoryBudget());
  ExecutionContext execution;
  execution.threads = threads;
  for (int i = 0; i < 20; ++i) trainer.step(execution);
  for (auto _ : state) trainer.step(execution);
}

void registerStep(const std::string& name, const training::Task& task,
                  const training::TrainingSettings& settings) {
  for (const int threads : {0, 1}) {  // 0: one per core
    const std::string whole =
        fmt::format("train/{}/{}", name, threads == 0 ? "all_threads" : "one_thread");
    benchmark::RegisterBenchmark(whole.c_str(), [&task, settings, threads](auto& state) {
      trainingStep(state, task, settings, threads);
    })->Apply(bestOfNine);
  }
}

void sentencesStep(benchmark::State& state, Index dModel, Index heads) {
  AttentionConfig config;
  config.dModel = dModel;
  config.numHeads = config.numKvHeads = heads;
  training::LayerLearner learner(config, 1);
  for (auto _ : state) learner.step({});
}

}  // namespace

void registerTraining() {
  for (const training::Task& task : training::allTasks()) {
    registerStep(std::string(task.id), task, training::settingsOf(task));
  }
  for (const TrainingSize& size : trainingSizes()) {
    registerStep(size.name, size.task, size.settings());
  }
  for (const auto& [dModel, heads] : {std::pair<Index, Index>{512, 8}, {256, 8}, {128, 4}}) {
    const std::string name = fmt::format("train/sentences/{}_{}", dModel, heads);
    benchmark::RegisterBenchmark(name.c_str(), [dModel = dModel, heads = heads](auto& state) {
      sentencesStep(state, dModel, heads);
    })->Apply(bestOfNine);
  }
}

}  // namespace headscope::bench
