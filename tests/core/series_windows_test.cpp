// Series windows: the answers to questions about a step, read off a series by hand, and properties
// of every window drawn.
#include "core/training/series_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/input/series.h"
#include "core/presets/presets.h"

namespace headscope::training {
namespace {

using enum SeriesQuestion;

const std::vector<Index>& at(const Partners& partners, SeriesQuestion question, std::size_t step) {
  return partners[static_cast<std::size_t>(question)][step];
}

std::vector<Index> from(Index first, Index end) {
  std::vector<Index> steps;
  for (Index i = first; i < end; ++i) steps.push_back(i);
  return steps;
}

/// assets/examples/make_sensor_window.py: vibration spikes at step 7, pressure drops at step 18.
TEST(SeriesWindows, AnswersOfAShippedSeries) {
  const auto source = std::get<SeriesSource>(exampleByName("sensor").source);
  const Partners partners = partnersIn(*source.items.front());
  EXPECT_EQ(at(partners, previous, 0), from(0, 0));
  EXPECT_EQ(at(partners, previous, 5), from(4, 5));
  EXPECT_EQ(at(partners, recent, 1), from(0, 2));
  EXPECT_EQ(at(partners, recent, 20), from(16, 21));
  EXPECT_EQ(at(partners, earlier, 9), from(0, 0));
  EXPECT_EQ(at(partners, earlier, 25), from(15, 16));
  EXPECT_EQ(at(partners, start, 4), from(0, 0));
  EXPECT_EQ(at(partners, start, 29), from(0, 5));
  EXPECT_EQ(at(partners, spike, 6), from(0, 0));
  EXPECT_EQ(at(partners, spike, 7), from(7, 8));
  EXPECT_EQ(at(partners, spike, 29), from(7, 8));
  EXPECT_EQ(at(partners, change, 17), from(0, 0));
  EXPECT_EQ(at(partners, change, 18), from(18, 19));
  EXPECT_EQ(at(partners, otherLevel, 3), from(18, 30));
  EXPECT_EQ(at(partners, otherLevel, 22), from(0, 18));
  const std::vector<Index>& peaks = at(partners, high, 0);
  EXPECT_EQ(peaks.size(), 8U);
  EXPECT_GT(peaks.front(), 10);  // the temperature rises
}

TEST(SeriesWindows, OfAFlatSeriesWithoutEvents) {
  const Series flat{"flat", {"a"}, Tensor::zeros({4, 1})};
  const Partners partners = partnersIn(flat);
  for (std::size_t step = 0; step < 4; ++step) {
    EXPECT_TRUE(at(partners, spike, step).empty());
    EXPECT_TRUE(at(partners, change, step).empty());
    EXPECT_TRUE(at(partners, otherLevel, step).empty());
    EXPECT_EQ(at(partners, high, step), from(0, 1));
  }
}

TEST(SeriesWindows, HaveEventsAndAreTheSameAgain) {
  Draws draws(5, "test"), again(5, "test");
  int spiking = 0, changing = 0;
  for (int i = 0; i < 200; ++i) {
    const auto window = drawWindow(1 + i % 4, 20 + i % 9, draws);
    EXPECT_EQ(window->values.values(), drawWindow(1 + i % 4, 20 + i % 9, again)->values.values());
    const auto channels = standardise(*window);
    const std::vector<bool> flags = spikesOfAny(channels);
    spiking += std::count(flags.begin(), flags.end(), true) > 0 ? 1 : 0;
    changing += changePoint(channels) ? 1 : 0;
  }
  EXPECT_GT(spiking, 100);
  EXPECT_LT(spiking, 200);
  EXPECT_GT(changing, 100);
  EXPECT_LT(changing, 200);
}

TEST(SeriesWindows, QuestionsStandInOrder) {
  std::size_t n = 0;
  for (const SeriesQuestionInfo& each : seriesQuestions()) {
    EXPECT_EQ(static_cast<std::size_t>(each.question), n++);
    EXPECT_EQ(info(each.question).name, each.name);
  }
}

}  // namespace
}  // namespace headscope::training
