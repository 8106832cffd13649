// Training sizes: models larger than those of the tasks, whose training is timed.
#pragma once

#include <span>
#include <string>

#include "core/training/tasks/example_writer.h"
#include "core/training/trainer.h"

namespace headscope::bench {

/// A task of this many places, each of which names its own symbol out of 32; it takes as much work
/// as any task of its size.
inline training::Task plainTask(Index length) {
  static constexpr Index kSymbols = 32;
  return {.id = "plain",
          .title = "Plain",
          .words = {},
          .lookFor = {},
          .settings = {},
          .questions = {{"same", "", kSymbols}},
          .relations = {},
          .length = length,
          .features = {kSymbols},
          .generate = [](training::ExampleWriter& example, training::Draws& draws) {
            for (Index i = 0; i < example.length(); ++i) {
              example.symbol(i) = draws.below(kSymbols);
              example.answer(0, i, static_cast<double>(example.symbol(i)));
            }
          }};
}

struct TrainingSize {
  std::string name;  // "64_4_32_64": d_model, heads, places, batch
  Index dModel, heads, batch;
  training::Task task;

  training::TrainingSettings settings() const {
    training::TrainingSettings settings = training::settingsOf(task);
    settings.model = {1, dModel, heads, false, 1.0};
    settings.batch = batch;
    settings.optimiser.learningRate = 1e-3;
    return settings;
  }
};

inline std::span<const TrainingSize> trainingSizes() {
  static const TrainingSize sizes[] = {{"64_4_32_64", 64, 4, 64, plainTask(32)},
                                       {"128_8_64_32", 128, 8, 32, plainTask(64)},
                                       {"512_8_30_2", 512, 8, 2, plainTask(30)}};
  return sizes;
}

}  // namespace headscope::bench
