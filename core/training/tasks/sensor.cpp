// Sensor: readings of a machine; the latest change of level, the highest spike so far and the last
// five steps.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/translation.h"
#include "core/training/tasks/example_writer.h"
#include "core/training/tasks/tasks.h"

namespace headscope::training {
namespace {

/// The readings of one example.
struct MachineReadings {
  static constexpr Index kSteps = 30;
  using Channel = std::array<double, kSteps>;

  Channel temperature, pressure, vibration;
  std::array<Index, kSteps> latestChange;  // the step of the temperature's; −1: none so far

  explicit MachineReadings(Draws& draws) {
    drawTemperature(draws);
    drawPressure(draws);
    drawVibration(draws);
  }

 private:
  /// One to three changes of level, the first at step 3 to 9 and 5 to 10 steps between.
  void drawTemperature(Draws& draws) {
    constexpr Index kLatest = kSteps - 3;
    const Index changes = 1 + draws.below(3);
    Index next = 3 + draws.below(7);
    Index latest = -1;
    Index done = 0;
    double level = 0.0;
    for (Index i = 0; i < kSteps; ++i) {
      if (i == next && done < changes && i <= kLatest) {
        const double jump = draws.uniform(1.5, 3.0);
        level += draws.chance(0.5) ? jump : -jump;
        latest = i;
        next = i + 5 + draws.below(6);
        ++done;
      }
      temperature[static_cast<std::size_t>(i)] = level + noise(0.1F, draws);
      latestChange[static_cast<std::size_t>(i)] = latest;
    }
  }

  void drawPressure(Draws& draws) {
    for (double& value : pressure) {
      const double height = draws.chance(0.15) ? draws.uniform(2.0, 5.0) : 0.0;
      value = height + noise(0.2F, draws);
    }
  }

  /// Each group of five steps has its own level.
  void drawVibration(Draws& draws) {
    double level = 0.0;
    for (std::size_t i = 0; i < kSteps; ++i) {
      if (i % 5 == 0) level = draws.normal();
      vibration[i] = level + noise(0.6F, draws);
    }
  }

  /// Noise whose deviation has the bits of a float: its product with a float is exact in double, so
  /// that a sum with it is rounded once on every machine, fused or not.
  static double noise(float deviation, Draws& draws) {
    return static_cast<double>(deviation) * draws.normal();
  }
};

}  // namespace

Task sensorTask() {
  static constexpr Index kSteps = MachineReadings::kSteps;
  static constexpr Index kRecent = 5;
  constexpr double kSolved = 0.9;
  enum Channel { temperature, pressure, vibration, edge };
  enum Asked { change, spike, recent };

  return {
      .id = "sensor",
      .title = trLater("Sensor"),
      .words = trLater(
          "Thirty readings of a machine: a temperature that changes its level one to three times, "
          "a pressure with spikes, a vibration, and an edge that shows how much the temperature "
          "has just changed. Each step names the step of the latest change, how strong the "
          "vibration was at the highest spike of pressure so far, and the mean vibration of the "
          "last five steps."),
      .lookFor = trLater(
          "One head spreads evenly over the last five steps: a band along the diagonal. Another "
          "stays on the highest spike until a higher one comes, a third on the latest change: "
          "columns that end where the next begins. The fourth head has no question of its own. "
          "With one seed in twenty a relation stays without a head: start again with another "
          "seed."),
      .settings = {.model = {.layers = 1, .dModel = 32, .heads = 4, .causal = true},
                   .learningRate = 1.5e-2,
                   .batch = 64,
                   .steps = 500},
      .questions = {{"change", trLater("the step of the latest change of temperature"), kSteps,
                     0.5F, kSolved},
                    {"spike", trLater("the vibration at the highest spike of pressure so far"), 1,
                     1.0F, kSolved},
                    {"recent", trLater("the mean vibration of the last five steps"), 1, 1.0F,
                     kSolved}},
      .relations = {{"change", trLater("the latest change of temperature")},
                    {"spike", trLater("the highest spike of pressure so far")},
                    {"recent", trLater("the last five steps")}},
      .length = kSteps,
      .channels = {"temperature", "pressure", "vibration", "edge"},
      .generate =
          [](ExampleWriter& example, Draws& draws) {
            const MachineReadings of(draws);
            std::size_t highest = 0;
            for (std::size_t i = 0; i < kSteps; ++i) {
              const auto step = static_cast<Index>(i);
              // The division makes all channels about equally large.
              example.reading(step, temperature, of.temperature[i] / 2.0);
              example.reading(step, pressure, of.pressure[i] / 1.5);
              example.reading(step, vibration, of.vibration[i]);
              const double changed =
                  i > 0 ? std::abs(of.temperature[i] - of.temperature[i - 1]) : 0.0;
              example.reading(step, edge, 2.0 * std::min(changed, 2.0));

              if (const Index latest = of.latestChange[i]; latest >= 0) {
                example.partner(change, step, latest);
                example.answer(change, step, static_cast<double>(latest));
              }
              if (of.pressure[i] > of.pressure[highest]) highest = i;
              constexpr double kSpikeFrom = 1.5;
              if (of.pressure[highest] > kSpikeFrom) {
                example.partner(spike, step, static_cast<Index>(highest));
                example.answer(spike, step, of.vibration[highest]);
              }
              double sum = 0.0;
              const Index begin = std::max(Index{0}, step - kRecent + 1);
              for (Index j = begin; j <= step; ++j) {
                example.partner(recent, step, j);
                sum += of.vibration[static_cast<std::size_t>(j)];
              }
              example.answer(recent, step, sum / static_cast<double>(step - begin + 1));
            }
          },
  };
}

}  // namespace headscope::training
