#include "core/training/series_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/translation.h"
#include "core/input/series.h"

namespace headscope::training {
namespace {

constexpr Index kRecentSteps = 5;
constexpr Index kEarlier = 10;
constexpr Index kFirstSteps = 5;

/// The course of a channel over a window, without its noise of deviation 1.
struct Course {
  double trend = 0.0;   // total rise over the window
  double change = 0.0;  // change of level at the change point
};

double eitherSign(double size, Draws& draws) { return draws.chance(0.5) ? size : -size; }

Course drawCourse(bool changes, Draws& draws) {
  Course course;
  if (draws.chance(0.4)) {
    const double size = draws.uniform(1.0, 5.0);
    course.trend = eitherSign(changes ? 0.3 * size : size, draws);
  }
  if (changes) {
    const double size = draws.uniform(4.0, 12.0);
    course.change = eitherSign(size, draws);
  }
  return course;
}

/// The quarter of the steps at which a channel is highest, in order.
std::vector<Index> upperQuarter(const Channel& z) {
  std::vector<Index> steps(z.size());
  std::iota(steps.begin(), steps.end(), Index{0});
  std::stable_sort(steps.begin(), steps.end(), [&](Index a, Index b) {
    return z[static_cast<std::size_t>(a)] > z[static_cast<std::size_t>(b)];
  });
  steps.resize((z.size() + 3) / 4);
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::vector<Index> stepsFrom(Index first, Index end) {
  std::vector<Index> steps(static_cast<std::size_t>(std::max<Index>(0, end - first)));
  std::iota(steps.begin(), steps.end(), first);
  return steps;
}

}  // namespace

std::span<const SeriesQuestionInfo> seriesQuestions() {
  using enum SeriesQuestion;
  static constexpr std::array<SeriesQuestionInfo, kLayerQuestions> kAll{{
      {previous, "prev", trLater("Previous step"), trLater("what was just before?")},
      {recent, "recent", trLater("Last five steps"), trLater("what are the latest readings?")},
      {earlier, "ten", trLater("Ten steps before"), trLater("what was it ten steps ago?")},
      {start, "start", trLater("First five steps"), trLater("how did it begin?")},
      {spike, "spike", trLater("Latest spike"), trLater("where was the latest spike?")},
      {change, "change", trLater("Change point"), trLater("since when is it at this level?")},
      {otherLevel, "level", trLater("The other level"),
       trLater("what is it on the change's other side?")},
      {high, "high", trLater("First channel's peaks"), trLater("where is the first channel high?")},
  }};
  return kAll;
}

const SeriesQuestionInfo& info(SeriesQuestion question) {
  return seriesQuestions()[static_cast<std::size_t>(question)];
}

std::shared_ptr<const Series> drawWindow(Index channels, Index steps, Draws& draws) {
  auto series = std::make_shared<Series>();
  series->name = "window";
  for (Index c = 0; c < channels; ++c) series->channels.push_back(fmt::format("channel {}", c + 1));
  series->values = Tensor::zeros({steps, channels});
  const MatrixView values = series->values.mutableMatrix();
  const bool changes = draws.chance(0.7);
  const Index changeAt = steps / 5 + draws.below(std::max<Index>(1, steps * 3 / 5));
  const Index changing = draws.below(channels);
  for (Index c = 0; c < channels; ++c) {
    const bool too = draws.chance(0.2);
    const Course course = drawCourse(changes && (c == changing || too), draws);
    for (Index i = 0; i < steps; ++i) {
      const double done = static_cast<double>(i) / static_cast<double>(steps);
      const double level = course.trend * done + (i < changeAt ? 0.0 : course.change);
      values(i, c) = static_cast<float>(level + draws.normal());
    }
  }
  constexpr Index kMostSpikes = 2;
  const Index spikes = draws.below(kMostSpikes + 1);
  for (Index n = 0; n < spikes; ++n) {
    const Index at = draws.below(steps);
    const Index channel = draws.below(channels);
    const double size = draws.uniform(8.0, 20.0);
    values(at, channel) += static_cast<float>(eitherSign(size, draws));
  }
  return series;
}

Partners partnersIn(const Series& series) {
  const std::vector<Channel> channels = standardise(series);
  const Index steps = series.values.dim(0);
  const std::vector<bool> spiking = spikesOfAny(channels);
  const std::optional<Index> changed = changePoint(channels);
  const std::vector<Index> peaks = upperQuarter(channels.front());

  Partners partners;
  for (auto& places : partners) places.resize(static_cast<std::size_t>(steps));
  Index latestSpike = -1;
  for (Index i = 0; i < steps; ++i) {
    const auto of = [&](SeriesQuestion question) -> std::vector<Index>& {
      return partners[static_cast<std::size_t>(question)][static_cast<std::size_t>(i)];
    };
    if (i > 0) of(SeriesQuestion::previous) = {i - 1};
    of(SeriesQuestion::recent) = stepsFrom(std::max<Index>(0, i - kRecentSteps + 1), i + 1);
    if (i >= kEarlier) of(SeriesQuestion::earlier) = {i - kEarlier};
    if (i >= kFirstSteps) of(SeriesQuestion::start) = stepsFrom(0, kFirstSteps);
    if (spiking[static_cast<std::size_t>(i)]) latestSpike = i;
    if (latestSpike >= 0) of(SeriesQuestion::spike) = {latestSpike};
    if (changed) {
      const bool after = i >= *changed;
      if (after) of(SeriesQuestion::change) = {*changed};
      of(SeriesQuestion::otherLevel) = after ? stepsFrom(0, *changed) : stepsFrom(*changed, steps);
    }
    of(SeriesQuestion::high) = peaks;
  }
  return partners;
}

}  // namespace headscope::training
