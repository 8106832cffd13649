#include "core/language/heads_over_steps.h"

#include <algorithm>
#include <utility>

#include "core/document/trace.h"
#include "core/language/sentence_reading.h"
#include "core/training/head_strip.h"

namespace headscope::language {
namespace {

/// `wanted` steps, each replaced by the first of `available` from it on, or the last of them.
std::vector<Index> nearest(const std::vector<Index>& wanted, const std::vector<Index>& available) {
  std::vector<Index> steps;
  for (const Index step : wanted) {
    auto found = std::ranges::lower_bound(available, step);
    if (found == available.end()) --found;
    if (steps.empty() || steps.back() != *found) steps.push_back(*found);
  }
  return steps;
}

}  // namespace

std::vector<Tensor> weightsByLayer(const KeptMoment& moment) {
  std::vector<Tensor> weights;
  for (Index layer = 0; layer < moment.attentions.dim(0); ++layer) {
    weights.push_back(moment.attentions.slice(0, layer, layer + 1));
  }
  return weights;
}

std::optional<std::vector<HeadsAtStep>> headsOverSteps(const LanguageTrainer& run,
                                                       const std::string& sentence, Index count,
                                                       Index memoryBudgetBytes,
                                                       std::map<Index, HeadsAtStep>& known,
                                                       const ExecutionContext& execution) {
  training::RunCourse course{run.stepsTaken(), run.settings().evaluateEvery, {}, {}};
  std::vector<Index> available;
  for (const LanguageEvaluation& each : run.evaluations()) {
    course.losses.push_back({each.step, each.heldOutLoss});
    const training::Snapshot* snapshot = run.snapshots().atMost(each.step);
    if (snapshot != nullptr && snapshot->step == each.step) available.push_back(each.step);
  }
  std::vector<HeadsAtStep> heads;
  if (available.empty()) return heads;
  for (std::size_t q = 0; run.corpus()->stories && q < kStoryQuestions; ++q) {
    course.found.push_back(run.answeredAt(q));
  }
  for (const Index step : nearest(training::stripSteps(course, count), available)) {
    auto at = known.find(step);
    if (at == known.end()) {
      const auto reading = readSentence(run.modelAt(step), *run.corpus(), sentence,
                                        run.settings().model.context, memoryBudgetBytes, execution);
      if (!reading) return std::nullopt;
      HeadsAtStep now{*std::ranges::find(run.evaluations(), step, &LanguageEvaluation::step), {}};
      for (Index layer = 0; layer < reading->trace->layers(); ++layer) {
        now.weights.push_back(reading->trace->layer(layer)->tensor(TensorId::weights));
      }
      at = known.emplace(step, std::move(now)).first;
    }
    heads.push_back(at->second);
  }
  return heads;
}

std::vector<HeadsAtStep> headsOverSteps(const KeptRun& run, Index last, Index count) {
  training::RunCourse course{0, run.settings.evaluateEvery, {}, {}};
  std::vector<Index> available;
  for (const KeptMoment& moment : run.moments) {
    if (moment.step() > last) break;
    available.push_back(moment.step());
    course.losses.push_back({moment.step(), moment.evaluation.heldOutLoss});
  }
  std::vector<HeadsAtStep> heads;
  if (available.empty()) return heads;
  course.stepsTaken = available.back();
  for (const std::optional<Index>& at : run.answeredAt) {
    course.found.push_back(at && *at <= last ? at : std::nullopt);
  }
  for (const Index step : nearest(training::stripSteps(course, count), available)) {
    const KeptMoment& moment = *std::ranges::find(run.moments, step, &KeptMoment::step);
    heads.push_back({moment.evaluation, weightsByLayer(moment)});
  }
  return heads;
}

}  // namespace headscope::language
