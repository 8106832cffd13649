// The results of a study's runs, in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/training/head_off.h"
#include "core/training/study.h"

namespace headscope::training {
namespace {

/// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

std::string stepInWords(const StudyFigures& run) {
  return run.step < run.steps ? trFormat("So far, at step {} of {}: ", withThousands(run.step),
                                         withThousands(run.steps))
                              : trFormat("At step {}: ", withThousands(run.step));
}

std::string stoppedInWords(const std::vector<StudyFigures>& runs) {
  std::string text;
  for (const StudyFigures& run : runs) {
    if (!run.stopped.empty()) text += trFormat(" The run {} stopped: {}.", run.name, run.stopped);
  }
  return text;
}

/// "“next” with 1 head (52 %)" for the runs that have not solved a question; empty where all have.
std::string unsolvedInWords(const Question& question, std::size_t q,
                            const std::vector<StudyFigures>& runs) {
  std::vector<std::string> unsolved;
  for (const StudyFigures& run : runs) {
    if (run.accuracy[q] >= question.solved) continue;
    unsolved.push_back(
        fmt::format("{} ({})", run.name, accuracyInWords(question, run.accuracy[q])));
  }
  if (unsolved.empty()) return {};
  return trFormat("“{}” with {}", question.name, listed(unsolved));
}

/// Returns whether two final values are too close to report a difference: there is only one seed.
bool alike(double a, double b) { return std::abs(a - b) < std::max(0.1, 0.2 * std::max(a, b)); }

}  // namespace

std::string headCountsInWords(const Task& task, const std::vector<StudyFigures>& runs) {
  const auto byLoss = [](const StudyFigures& a, const StudyFigures& b) { return a.loss < b.loss; };
  const auto [lowest, highest] = std::minmax_element(runs.begin(), runs.end(), byLoss);
  std::vector<std::string> found, twins;
  bool fewer = false;
  for (const StudyFigures& run : runs) {
    found.push_back(trFormat("{} with {}", run.found, run.name));
    if (run.twins > 0) twins.push_back(trFormat("{} of {}", run.twins, run.heads));
    fewer = fewer || run.heads < run.relations;
  }
  std::string text = stepInWords(runs.front());
  text += trFormat("relations with a head of their own, of {}: {}.", runs.front().relations,
                   listed(found));
  if (fewer)
    text += tr(" With fewer heads than relations, some relations have no head of their own.");
  text += trFormat(" The lowest loss is {} with {}, the highest {} with {}.",
                   number(lowest->loss, 3), lowest->name, number(highest->loss, 3), highest->name);
  std::string unsolved;
  for (std::size_t q = 0; q < task.questions.size(); ++q) {
    const std::string of = unsolvedInWords(task.questions[q], q, runs);
    if (!of.empty()) unsolved += (unsolved.empty() ? "" : "; ") + of;
  }
  text += unsolved.empty() ? tr(" Every run solves every question.")
                           : trFormat(" Not solved: {}.", unsolved);
  text +=
      twins.empty()
          ? trFormat(" No head has a twin (another head with a similarity of at least {:.2f}).",
                     kTwins)
          : trFormat(" Heads with a twin (another head with a similarity of at least {:.2f}): {}.",
                     kTwins, listed(twins));
  return text + stoppedInWords(runs);
}

std::string scaleInWords(const Task& task, const std::vector<StudyFigures>& runs) {
  const StudyFigures& with = runs.front();
  const StudyFigures& without = runs.back();
  std::string text = stepInWords(with);
  if (alike(with.loss, without.loss)) {
    text += trFormat(
        "the losses are {} with ÷√d_k and {} without: the division makes little difference at "
        "these settings.",
        number(with.loss, 3), number(without.loss, 3));
  } else {
    text += trFormat("the loss is {} with ÷√d_k and {} without, which is {}.", number(with.loss, 3),
                     number(without.loss, 3),
                     with.loss < without.loss ? tr("worse") : tr("better in this run"));
  }
  const std::string raw = std::abs(with.first.raw - without.first.raw) < 0.01 * with.first.raw
                              ? number(with.first.raw, 2) + tr(" in size in both")
                              : trFormat("{} in size with it and {} without",
                                         number(with.first.raw, 2), number(without.first.raw, 2));
  text += trFormat(
      " At the first step q · k was {} (root mean square); the softmax read {} with the division "
      "and {} without.",
      raw, number(with.first.scores, 2), number(without.first.scores, 2));
  text += trFormat(
      " Rows whose largest weight is above {}: {} and {} at the first step, {} and {} at step {}. "
      "The length of the gradient of the softmax's input was {} and {} on average over the run.",
      kSaturated, percent(with.first.saturated), percent(without.first.saturated),
      percent(with.last.saturated), percent(without.last.saturated), withThousands(with.last.step),
      number(with.meanGradient, 2), number(without.meanGradient, 2));
  std::vector<std::string> answers;
  for (std::size_t q = 0; q < task.questions.size(); ++q) {
    const Question& question = task.questions[q];
    answers.push_back(trFormat("“{}” {} and {}", question.name,
                               accuracyInWords(question, with.accuracy[q]),
                               accuracyInWords(question, without.accuracy[q])));
  }
  text += trFormat(" Right answers: {}; relations found: {} and {} of {}.", listed(answers),
                   with.found, without.found, with.relations);
  return text + stoppedInWords(runs);
}

}  // namespace headscope::training
