#include "core/training/head_strip.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/platform/threads.h"
#include "core/training/task_pass.h"

namespace headscope::training {
namespace {

/// The loss of the latest evaluation at or before a step.
double lossAt(const RunCourse& run, Index step) {
  const auto after =
      std::ranges::find_if(run.losses, [step](const auto& each) { return each.step > step; });
  return after == run.losses.begin() ? run.losses.front().loss : std::prev(after)->loss;
}

/// The step in the middle of the gap over which the loss changed most; none where all gaps are
/// narrow.
std::optional<Index> middleOfWidestGap(const RunCourse& run, const std::set<Index>& steps) {
  const Index narrow = 2 * run.evaluateEvery;
  const double most = lossAt(run, 0);
  std::optional<Index> middle;
  double widest = 0.0;
  for (auto at = steps.begin(); std::next(at) != steps.end(); ++at) {
    const Index from = *at;
    const Index to = *std::next(at);
    if (to - from < narrow) continue;
    const double fell = std::abs(lossAt(run, from) - lossAt(run, to));
    // a small weight on time, which alone decides where the loss does not change
    const double width = fell + 0.1 * most * static_cast<double>(to - from) /
                                    static_cast<double>(std::max<Index>(1, run.stepsTaken));
    if (width <= widest) continue;
    widest = width;
    middle = from + (to - from) / 2;
  }
  return middle;
}

}  // namespace

std::vector<Index> stripSteps(const RunCourse& run, Index count) {
  std::set<Index> steps{0, run.stepsTaken};
  for (const std::optional<Index>& found : run.found) {
    if (found && std::ssize(steps) < count) steps.insert(*found);
  }
  while (std::ssize(steps) < count) {
    const auto middle = middleOfWidestGap(run, steps);
    if (!middle) break;
    steps.insert(*middle);
  }
  return {steps.begin(), steps.end()};
}

std::vector<Index> stripSteps(const Trainer& run, Index count) {
  RunCourse course{run.stepsTaken(), run.settings().evaluateEvery, {}, {}};
  for (const Evaluation& each : run.evaluations()) {
    course.losses.push_back({each.step, each.losses.loss});
  }
  for (std::size_t r = 0; r < run.task().relations.size(); ++r) {
    course.found.push_back(run.foundAt(r));
  }
  return stripSteps(course, count);
}

std::optional<std::vector<StripMoment>> headStrip(const Trainer& run, const Examples& example,
                                                  Index count, const ExecutionContext& execution) {
  if (run.evaluations().empty()) return std::nullopt;
  const ModelSettings& settings = run.settings().model;
  TaskModel past(run.task(), settings, run.settings().seed);
  const Examples always = evaluationExamples(run.task());
  const ScopedThreadLimit threads(threadsOfPass(run.task(), settings, always.count, execution));
  const auto& snapshots = run.snapshots().all();
  std::vector<StripMoment> strip;
  for (const Index wanted : stripSteps(run, count)) {
    const auto snapshot = std::find_if(snapshots.begin(), snapshots.end(),
                                       [&](const Snapshot& s) { return s.step >= wanted; });
    const bool now = snapshot == snapshots.end() || snapshot->step >= run.stepsTaken();
    StripMoment moment{now ? run.stepsTaken() : snapshot->step, {}, {}};
    if (!strip.empty() && strip.back().step == moment.step) continue;
    if (!now) putInto(*snapshot, past.parameters());
    const TaskModel& model = now ? run.model() : past;
    const auto known = std::ranges::find(run.evaluations(), moment.step, &Evaluation::step);
    if (known != run.evaluations().end()) {
      moment.evaluation = *known;
    } else {
      TaskPass all(model, always);
      if (!all.forward(execution)) return std::nullopt;
      auto evaluation = evaluationOf(all, run.task(), moment.step, execution);
      if (!evaluation) return std::nullopt;
      moment.evaluation = std::move(*evaluation);
    }
    TaskPass pass(model, example);
    if (!pass.forward(execution)) return std::nullopt;
    for (Index layer = 0; layer < pass.layers(); ++layer) {
      moment.weights.push_back(pass.layer(layer).tensor(TensorId::weights));
    }
    strip.push_back(std::move(moment));
  }
  return strip;
}

}  // namespace headscope::training
