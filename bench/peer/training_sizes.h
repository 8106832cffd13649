// Training sizes: models larger than those of the tasks, whose training is timed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/training/tasks/example_writer.h"
#include "core/training/trainer.h"

namespace headscope::bench {

/// A task of this many places, each of which names its own symbol out of 32; it takes as much work
/// as any task of its size.
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

struct TrainingSize {
  std::string name;  // "64_4_32_64": d_model, heads, places, batch
  Index dModel, heads, batch;
  PlainTask task;

  training::TrainingSettings settings() const {
    training::TrainingSettings settings = training::settingsOf(task);
    settings.model = {1, dModel, heads, false, 1.0};
    settings.batch = batch;
    settings.optimiser.learningRate = 1e-3;
    return settings;
  }
};

inline std::span<const TrainingSize> trainingSizes() {
  static const TrainingSize sizes[] = {{"64_4_32_64", 64, 4, 64, PlainTask(32)},
                                       {"128_8_64_32", 128, 8, 32, PlainTask(64)},
                                       {"512_8_30_2", 512, 8, 2, PlainTask(30)}};
  return sizes;
}

}  // namespace headscope::bench
