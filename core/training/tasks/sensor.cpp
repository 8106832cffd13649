// Sensor: readings of a machine; the latest change of level, the highest spike so far and the last
// five steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/training/tasks/example.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {
namespace {

/// Noise whose deviation has the bits of a float: its product with a float is exact in double, so
/// that a sum with it is rounded once on every machine, fused or not.
double noise(float deviation, Draws& draws) {
  return static_cast<double>(deviation) * draws.normal();
}

class Sensor final : public Task {
 public:
  std::string_view id() const override { return "sensor"; }
  std::string_view title() const override { return "Sensor"; }
  std::string_view words() const override {
    return "Thirty readings of a machine: a temperature that changes its level one to three times, "
           "a pressure with spikes, a vibration, and an edge that shows how much the temperature "
           "has just changed. Each step names the step of the latest change, how strong the "
           "vibration was at the highest spike of pressure so far, and the mean vibration of the "
           "last five steps.";
  }
  std::string_view lookFor() const override {
    return "One head spreads evenly over the last five steps: a band along the diagonal. Another "
           "stays on the highest spike until a higher one comes, a third on the latest change: "
           "columns that end where the next begins. The fourth head has no question of its own. "
           "With one seed in twenty a relation stays without a head: start again with another "
           "seed.";
  }
  TaskSettings settings() const override {
    return {.model = {.layers = 1, .dModel = 32, .heads = 4, .causal = true},
            .learningRate = 1.5e-2,
            .batch = 64,
            .steps = 500};
  }

  std::span<const Question> questions() const override {
    static constexpr double kSolved = 0.9;
    static constexpr std::array<Question, 3> kQuestions{{
        {"change", "the step of the latest change of temperature", kSteps, 0.5F, kSolved},
        {"spike", "the vibration at the highest spike of pressure so far", 1, 1.0F, kSolved},
        {"recent", "the mean vibration of the last five steps", 1, 1.0F, kSolved},
    }};
    return kQuestions;
  }
  std::span<const Relation> relations() const override {
    static constexpr std::array<Relation, 3> kRelations{{
        {"change", "the latest change of temperature"},
        {"spike", "the highest spike of pressure so far"},
        {"recent", "the last five steps"},
    }};
    return kRelations;
  }

  Index length() const override { return kSteps; }
  std::span<const std::string_view> channels() const override {
    static constexpr std::array<std::string_view, 4> kChannels{"temperature", "pressure",
                                                               "vibration", "edge"};
    return kChannels;
  }

  std::string answerWord(Index question, Index answer) const override {
    return question == change ? "step " + std::to_string(answer + 1) : std::string();
  }

 private:
  static constexpr Index kSteps = 30;
  static constexpr Index kRecent = 5;

  enum Channel { temperature, pressure, vibration, edge };
  enum Asked { change, spike, recent };

  using Series = std::array<double, kSteps>;

  void generate(Example& example, Draws& draws) const override {
    const Series heat = temperatures(example, draws);
    const Series press = pressures(draws);
    const Series shakes = vibrations(draws);
    std::size_t highest = 0;
    for (std::size_t i = 0; i < kSteps; ++i) {
      const auto step = static_cast<Index>(i);
      // The division makes all channels about equally large.
      example.reading(step, temperature, heat[i] / 2.0);
      example.reading(step, pressure, press[i] / 1.5);
      example.reading(step, vibration, shakes[i]);
      const double changed = i > 0 ? std::abs(heat[i] - heat[i - 1]) : 0.0;
      example.reading(step, edge, 2.0 * std::min(changed, 2.0));

      if (press[i] > press[highest]) highest = i;
      constexpr double kSpikeFrom = 1.5;
      if (press[highest] > kSpikeFrom) {
        example.partner(spike, step, static_cast<Index>(highest));
        example.answer(spike, step, shakes[highest]);
      }
      double sum = 0.0;
      const Index begin = std::max(Index{0}, step - kRecent + 1);
      for (Index j = begin; j <= step; ++j) {
        example.partner(recent, step, j);
        sum += shakes[static_cast<std::size_t>(j)];
      }
      example.answer(recent, step, sum / static_cast<double>(step - begin + 1));
    }
  }

  /// One to three changes of level, the first at step 3 to 9 and 5 to 10 steps between; asks for
  /// the latest.
  static Series temperatures(Example& example, Draws& draws) {
    constexpr Index kLatest = kSteps - 3;
    const Index changes = 1 + draws.below(3);
    Index next = 3 + draws.below(7);
    Index latest = -1;
    Index done = 0;
    double level = 0.0;
    Series heat;
    for (Index i = 0; i < kSteps; ++i) {
      if (i == next && done < changes && i <= kLatest) {
        const double jump = draws.uniform(1.5, 3.0);
        level += draws.chance(0.5) ? jump : -jump;
        latest = i;
        next = i + 5 + draws.below(6);
        ++done;
      }
      heat[static_cast<std::size_t>(i)] = level + noise(0.1F, draws);
      if (latest < 0) continue;
      example.partner(change, i, latest);
      example.answer(change, i, static_cast<double>(latest));
    }
    return heat;
  }

  static Series pressures(Draws& draws) {
    Series press;
    for (double& value : press) {
      const double height = draws.chance(0.15) ? draws.uniform(2.0, 5.0) : 0.0;
      value = height + noise(0.2F, draws);
    }
    return press;
  }

  /// Each group of five steps has its own level.
  static Series vibrations(Draws& draws) {
    Series shakes;
    double level = 0.0;
    for (std::size_t i = 0; i < kSteps; ++i) {
      if (i % 5 == 0) level = draws.normal();
      shakes[i] = level + noise(0.6F, draws);
    }
    return shakes;
  }
};

}  // namespace

const Task& sensorTask() {
  static const Sensor task;
  return task;
}

}  // namespace headscope::training
