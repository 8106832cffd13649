#include "bench/peer/language_steps.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>

#include "bench/peer/timing.h"
#include "core/base/execution.h"
#include "core/base/memory_budget.h"
#include "core/language/language_trainer.h"
#include "core/tensor/gemm.h"
#include "core/training/task.h"

namespace headscope::bench {
namespace {
using namespace headscope::language;

constexpr Index kTokens = 174;  // as many as stories have

/// Random tokens: a step takes the same time whatever they are.
CorpusPtr randomCorpus() {
  auto corpus = std::make_shared<Corpus>();
  corpus->title = "random tokens";
  corpus->vocabulary = kTokens;
  training::Draws draws(1, "tokens");
  for (int i = 0; i < 100'000; ++i) {
    corpus->training.push_back(static_cast<std::int32_t>(draws.below(kTokens)));
  }
  corpus->heldOut = corpus->training;
  return corpus;
}

LanguageSettings settingsNamed(const std::string& name) {
  long layers = 0, width = 0, heads = 0, batch = 0, length = 0;
  std::sscanf(name.c_str(), "lm_%ld_%ld_%ld_%ld_%ld", &layers, &width, &heads, &batch, &length);
  LanguageSettings settings;
  settings.model.layers = layers;
  settings.model.dModel = width;
  settings.model.heads = heads;
  settings.model.context = length;
  settings.batch = batch;
  settings.steps = settings.evaluateEvery = 100'000;  // steps alone
  return settings;
}

/// One product forward, and one backward for each of the two operands.
std::vector<TimedProduct> productsOf(const LanguageSettings& s) {
  const LanguageModelSettings& m = s.model;
  const Index width = m.dModel, inner = 4 * width, length = m.context, rows = s.batch * length;
  const Index dK = width / m.heads, matrices = m.layers * s.batch * m.heads;
  return {{rows, width, width, 8 * m.layers}, {width, rows, width, 4 * m.layers},
          {rows, width, inner, 2 * m.layers}, {rows, inner, width, 2 * m.layers},
          {inner, rows, width, 2 * m.layers}, {length, dK, length, 2 * matrices},
          {length, length, dK, 4 * matrices}, {rows, width, kTokens, 1},
          {rows, kTokens, width, 1},          {kTokens, rows, width, 1}};
}

}  // namespace

bool isLanguageSize(const std::string& name) { return name.starts_with("lm_"); }

int serveLanguage(const std::string& name) {
  prepareGemm();
  const LanguageSettings settings = settingsNamed(name);
  LanguageTrainer trainer(randomCorpus(), settings, defaultMemoryBudget());
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "shapes") {
      const LanguageModelSettings& m = settings.model;
      std::cout << fmt::format(R"({{"layers":{},"d_model":{},"heads":{},"length":{},"batch":{},)"
                               R"("vocabulary":{},"rate":{}}})",
                               m.layers, m.dModel, m.heads, m.context, settings.batch, kTokens,
                               settings.optimiser.learningRate)
                << std::endl;
      continue;
    }
    ExecutionContext execution;
    double seconds = 1.0;
    words >> execution.threads >> seconds;
    std::cout << (what == "gemm" ? bestGemmMs(productsOf(settings), execution.threads, seconds)
                                 : bestMs(seconds, [&] { trainer.step(execution); }))
              << std::endl;
  }
  return 0;
}

}  // namespace headscope::bench
