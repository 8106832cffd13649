// Series windows: generated measurements of 16 to 48 time steps, and the answers to eight questions
// about every step of a series: the other steps that it is related to. The answers are computed
// from the series itself, so that every series has them, drawn or loaded.
//
// A channel is noise about a level, in some windows with a trend; some windows have a change of
// level, some have spikes. Spikes and change points are those of the series' features in X
// (core/input/series.h).
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/input/input.h"
#include "core/training/curriculum.h"
#include "core/training/task.h"

namespace headscope::training {

/// The questions asked of every time step. A step that has no such partner answers "none".
enum class SeriesQuestion {
  previous,    // the step before
  recent,      // the last five steps, this one included
  earlier,     // ten steps before
  start,       // from the sixth step on: the first five
  spike,       // the latest spike, perhaps this step
  change,      // from the change point on: the change point
  otherLevel,  // the steps on the other side of the change point
  high,        // the quarter of all steps at which the first channel is highest
};

struct SeriesQuestionInfo {
  SeriesQuestion question;
  std::string_view name;   // "spike": in flags, files and tables
  std::string_view title;  // "Latest spike"
  std::string_view words;  // "where was the latest spike?"
};
/// In the order of SeriesQuestion.
std::span<const SeriesQuestionInfo> seriesQuestions();
const SeriesQuestionInfo& info(SeriesQuestion question);

inline constexpr Index kShortestWindow = 16;
inline constexpr Index kLongestWindow = 48;

/// Draws a window of `steps` time steps and `channels` channels.
std::shared_ptr<const Series> drawWindow(Index channels, Index steps, Draws& draws);

/// The answers at each step of a series.
Partners partnersIn(const Series& series);

}  // namespace headscope::training
