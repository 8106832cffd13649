// Lesson training: “Show me” trains a run up to the step that a scene speaks of (lesson_run.h).
#include <charconv>
#include <optional>
#include <variant>

#include "app/ui/learn/lesson_facts.h"
#include "app/ui/learn/lesson_run.h"
#include "app/ui/panel.h"
#include "app/ui/train/language_run_view.h"

namespace headscope::ui {
namespace {

/// Returns whether a moment is of the run that the view names; another one begins with the page's
/// next frame.
template <typename Moment>
bool isAsked(const Moment& moment, const TrainView& asked) {
  if (moment.settings.seed != asked.seed) return false;
  return asked.heads == 0 || moment.settings.model.heads == asked.heads;
}

}  // namespace

/// `every`: the steps between the run's snapshots.
template <typename Run>
void LessonRun::trainTo(const lessons::FactSource& facts, Run& run, Index stepsTaken, Index every,
                        bool finished) {
  Index step = 0;
  const char* end = toTrainStep_.data() + toTrainStep_.size();
  const bool isNumber = std::from_chars(toTrainStep_.data(), end, step).ptr == end;
  const auto fact = isNumber ? std::nullopt : lessons::factOf(toTrainStep_, facts);
  const double* found = fact ? std::get_if<double>(&*fact) : nullptr;  // null: not known yet
  if (found != nullptr) step = static_cast<Index>(*found);
  const bool there = (isNumber || found != nullptr) && stepsTaken >= step;
  if (there && step < stepsTaken) {
    run.lookAt((step + every - 1) / every * every);  // the snapshot at or after the step
  }
  if (there || finished) {
    run.play(false);
    toTrainStep_.clear();
  } else if (!run.playing()) {
    run.play(true);
  }
}

/// Runs the training at the set pace up to the step; looks back at a step already passed.
void LessonRun::trainAsShown(const PanelContext& panel, const lessons::FactSource& facts,
                             const LessonRuns& runs) {
  if (toTrainStep_.empty()) return;
  const TrainView& asked = panel.trainView;
  if (learnsStories(asked)) {
    const auto moment = runs.language.moment();
    const bool kept = showsKeptRun(asked);
    if (moment == nullptr || moment->kept != kept || !isAsked(*moment, asked)) return;
    return trainTo(facts, runs.language, moment->stepsTaken, moment->settings.evaluateEvery,
                   moment->finished);
  }
  const auto moment = runs.training.moment();
  if (moment == nullptr || moment->task->id != asked.task || !isAsked(*moment, asked)) return;
  trainTo(facts, runs.training, moment->stepsTaken, moment->snapshotEvery, moment->finished);
}

}  // namespace headscope::ui
