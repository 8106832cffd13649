// One training step (batch drawn, forward, loss, backward, Adam): of every task with its own
// settings, of models of other sizes, and of the layer that learns from sentences.
#include <fmt/format.h>

#include <string>

#include "bench/documents.h"
#include "bench/passes.h"
#include "core/ledger.h"
#include "core/training/learned_layer.h"
#include "core/training/tasks/example.h"
#include "core/training/trainer.h"

namespace headscope::bench {
namespace {

/// So many places, each of which names its own symbol of 32: as much work as any task of its size.
class PlainTask final : public training::Task {
 public:
  explicit PlainTask(Index length) : length_(length) {}

  std::string_view id() const override { return "plain"; }
  std::string_view title() const override { return "Plain"; }
  std::string_view words() const override { return {}; }
  std::string_view lookFor() const override { return {}; }
  training::TaskSettings settings() const override { return {}; }
  std::span<const training::Question> questions() const override {
    static constexpr training::Question kSame[] = {{"same", "", kSymbols}};
    return kSame;
  }
  std::span<const training::Relation> relations() const override { return {}; }
  Index length() const override { return length_; }
  std::vector<Index> features() const override { return {kSymbols}; }

 private:
  static constexpr Index kSymbols = 32;

  void generate(training::Example& example, training::Draws& draws) const override {
    for (Index i = 0; i < length_; ++i) {
      example.symbol(i) = draws.below(kSymbols);
      example.answer(0, i, static_cast<double>(example.symbol(i)));
    }
  }

  Index length_;
};

void trainingStep(benchmark::State& state, const training::Task& task,
                  training::TrainingSettings settings, int threads) {
  settings.steps = settings.evaluateEvery = 100'000;  // steps alone
  training::Trainer trainer(task, settings, defaultMemoryBudget());
  Execution execution;
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
  for (const training::Task* task : training::allTasks()) {
    registerStep(std::string(task->id()), *task, training::settingsOf(*task));
  }
  struct Size {
    Index dModel, heads, length, batch;
  };
  static const PlainTask tasks[] = {PlainTask(32), PlainTask(64), PlainTask(30)};
  constexpr Size kSizes[] = {{64, 4, 32, 64}, {128, 8, 64, 32}, {512, 8, 30, 2}};
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    const Size& size = kSizes[i];
    training::TrainingSettings settings = training::settingsOf(tasks[i]);
    settings.model = {1, size.dModel, size.heads, false, 1.0};
    settings.batch = size.batch;
    settings.optimiser.learningRate = 1e-3;
    registerStep(fmt::format("{}_{}_{}_{}", size.dModel, size.heads, size.length, size.batch),
                 tasks[i], settings);
  }
  for (const auto& [dModel, heads] : {std::pair<Index, Index>{512, 8}, {256, 8}, {128, 4}}) {
    const std::string name = fmt::format("train/sentences/{}_{}", dModel, heads);
    benchmark::RegisterBenchmark(name.c_str(), [dModel = dModel, heads = heads](auto& state) {
      sentencesStep(state, dModel, heads);
    })->Apply(bestOfNine);
  }
}

}  // namespace headscope::bench
