#include "app/ui/train/measured_runs_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/table.h"
#include "app/ui/train/run_chart.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/language/measured_runs.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

using language::MeasuredRun;
using language::measuredRuns;
using language::storyQuestions;

/// The runs of one model, one for each seed.
using RunsOfModel = std::vector<const MeasuredRun*>;

std::vector<RunsOfModel> models() {
  std::vector<RunsOfModel> all;
  for (const MeasuredRun& run : measuredRuns()) {
    if (all.empty() || !all.back().front()->sameModel(run)) all.emplace_back();
    all.back().push_back(&run);
  }
  return all;
}

/// "2 × 6"
std::string nameOf(const MeasuredRun& run) {
  return fmt::format("{} × {}{}", run.layers, run.heads, run.networks ? "" : tr(", no FFN"));
}

double atEnd(const MeasuredRun& run, std::size_t question) {
  return run.questions[question].right.back();
}

/// The run in the middle of the seeds, ordered by their first answers and then by the shares at the
/// end.
const MeasuredRun& middleOf(const RunsOfModel& runs, std::size_t question) {
  constexpr Index kNever = std::numeric_limits<Index>::max();
  RunsOfModel ordered = runs;
  std::ranges::stable_sort(ordered, {}, [&](const MeasuredRun* run) {
    return std::pair(run->answeredAt(question).value_or(kNever), -atEnd(*run, question));
  });
  return *ordered[ordered.size() / 2];
}

/// The result of that run: "650", or where it never answered the share at the end, "18 %".
std::string answeredInWords(const RunsOfModel& runs, std::size_t question) {
  const MeasuredRun& middle = middleOf(runs, question);
  const auto at = middle.answeredAt(question);
  return at ? withThousands(*at) : fmt::format("{:.0f} %", 100.0 * atEnd(middle, question));
}

/// "seed 1: 650, seed 2: 700, seed 3: 18 %"
std::string eachSeedInWords(const RunsOfModel& runs, std::size_t question) {
  std::string words;
  for (const MeasuredRun* run : runs) {
    const auto at = run->answeredAt(question);
    words += trFormat("{}seed {}: {}", words.empty() ? "" : ", ", run->seed,
                      at ? trFormat("step {}", *at)
                         : trFormat("never, {:.0f} % at the end", 100.0 * atEnd(*run, question)));
  }
  return words;
}

bool allAnswered(const RunsOfModel& runs, std::size_t question) {
  return std::ranges::all_of(
      runs, [=](const MeasuredRun* run) { return run->answeredAt(question).has_value(); });
}

constexpr float kTableWidth = 460.0F;    // points
constexpr float kLeastOfChart = 180.0F;  // points

void table(const FrameContext& look, const std::vector<RunsOfModel>& all, std::size_t& question) {
  std::vector<TableColumn> columns{{"layers × heads",
                                    tr("all with d_model 192, 1,500 steps of 64 × 96 tokens"),
                                    false, 104, 1, false}};
  for (const language::StoryQuestion& each : storyQuestions()) {
    columns.push_back({std::string(each.name),
                       trFormat("{}: the first step with 90 % right, or the share of right "
                                "answers at the end; the middle one of the seeds",
                                tr(each.words)),
                       true, 54, 0.4F});
  }
  Table rows(look, {.id = "measured runs", .dense = true}, columns);
  if (const auto clicked = rows.clickedHeading(); clicked && *clicked > 0) question = *clicked - 1;
  for (std::size_t m = 0; m < all.size(); ++m) {
    rows.row(static_cast<Index>(m));
    if (const auto column = rows.hoveredColumn(); column && *column > 0) {
      const std::size_t q = *column - 1;
      showTooltip(fmt::format("{}: {}", storyQuestions()[q].name, eachSeedInWords(all[m], q)));
    }
    rows.marked(nameOf(*all[m].front()), look.theme.text, m);
    for (std::size_t q = 0; q < storyQuestions().size(); ++q) {
      rows.number(answeredInWords(all[m], q),
                  allAnswered(all[m], q) ? look.theme.text : look.theme.textMuted);
    }
  }
}

/// The curves of a question, of each model's first seed.
void curves(const FrameContext& look, const Rect& room, const std::vector<RunsOfModel>& all,
            std::size_t question) {
  std::vector<ChartKey> keys;
  for (std::size_t m = 0; m < all.size(); ++m) {
    keys.push_back({nameOf(*all[m].front()), look.theme.text, m});
  }
  const Index last = all.front().front()->steps.back();
  RunChart chart(look, room, {last, last, last},
                 trFormat("{}: answered right", storyQuestions()[question].name), keys,
                 roundAxis(0.0, 1.0), false);  // the table next to it has their names
  chart.level(storyQuestions()[question].solved);
  for (std::size_t m = 0; m < all.size(); ++m) {
    const MeasuredRun& run = *all[m].front();
    std::vector<ChartPoint> points;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
      points.push_back({static_cast<double>(run.steps[i]), run.questions[question].right[i]});
    }
    chart.curve(m, std::move(points));
  }
  chart.finish("measured", {}, [](Index) { return std::string(); });
}

/// "at step 650" or "never (20 %)"
std::string outcomeInWords(const RunsOfModel& runs, std::size_t question) {
  const std::string result = answeredInWords(runs, question);
  return fmt::format(fmt::runtime(middleOf(runs, question).answeredAt(question) ? tr("at step {}")
                                                                                : tr("never ({})")),
                     result);
}

/// The share of right answers without the head that is missed most: "81 %".
std::string withoutOneInWords(const RunsOfModel& runs, std::size_t question) {
  const MeasuredRun& middle = middleOf(runs, question);
  const MeasuredRun::Question& asked = middle.questions[question];
  const double right = asked.mostMissed ? asked.rightWithoutMostMissed : atEnd(middle, question);
  return fmt::format("{:.0f} %", 100.0 * right);
}

/// Says what the number of layers, the number of heads and the networks change in when a question
/// is answered, and how much hangs on a single head.
std::string sentencesOf(std::vector<RunsOfModel> all, std::size_t question) {
  std::ranges::stable_sort(all, {}, [](const RunsOfModel& runs) { return runs.front()->heads; });
  std::string layers, heads, without, noNetworks;
  const auto add = [](std::string& list, Index count, const std::string& what) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, what);
  };
  for (const RunsOfModel& runs : all) {
    const MeasuredRun& run = *runs.front();
    const std::string outcome = outcomeInWords(runs, question);
    if (!run.networks) {
      noNetworks = outcome;
      continue;
    }
    if (run.heads == 6) add(layers, run.layers, outcome);
    if (run.layers == 2) {
      add(heads, run.heads, outcome);
      without += (without.empty() ? "" : ", ") + withoutOneInWords(runs, question);
    }
  }
  return trFormat(
      "“{}” is first answered, by the number of layers: {}. With two layers, by the heads in each: "
      "{}; without networks {}. Right at the end without the head that is missed most, by these "
      "heads: {}.",
      storyQuestions()[question].name, layers, heads, noNetworks, without);
}

}  // namespace

void measuredRunsView(const FrameContext& look, std::size_t& question) {
  const std::vector<RunsOfModel> all = models();
  wrappedLabel(look.fonts.small, look.theme.text, sentencesOf(all, question));
  Rect room = Rect::rest();
  const float ofTable = std::min(look.px(kTableWidth), room.width() - look.px(kLeastOfChart));
  const Rect left = room.cutLeft(std::max(room.width() * 0.56F, ofTable), look.space.large);
  ImGui::SetCursorScreenPos(left.a);
  ImGui::BeginChild("measured runs", left.size());
  table(look, all, question);
  ImGui::EndChild();
  curves(look, room, all, question);
}

}  // namespace headscope::ui
