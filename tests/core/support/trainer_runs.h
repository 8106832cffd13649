// Trainer runs: helpers for tests of LanguageTrainer and ShapeTrainer.
#pragma once

#include <vector>

#include "core/base/execution.h"
#include "core/training/optimiser.h"

namespace headscope::test {

/// All weights of a run's model, one parameter after the other.
template <typename Trainer>
std::vector<float> weightsOf(const Trainer& run) {
  std::vector<float> numbers;
  for (const training::Parameter& parameter : run.model().parameters()) {
    const std::vector<float> values = parameter.value.values();
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return numbers;
}

template <typename Trainer>
void runToEnd(Trainer& run, int threads = 1) {
  ExecutionContext execution;
  execution.threads = threads;
  execution.flopsPerThread = 1;  // even small work is shared out
  while (!run.finished()) run.step(execution);
}

}  // namespace headscope::test
