#include "core/model_training/model_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/model_training/layer_parameters.h"

namespace headscope::model_training {
namespace {
using training::Parameter;
using training::Snapshot;

constexpr Index kMostSteps = 1'000'000;
constexpr Index kMostBatch = 1024;

void requireNumber(const char* name, double value, const char* wayOut) {
  if (std::isfinite(value) && value >= 0.0) return;
  throw UserError(fmt::format("the {} is {}: {}", name, value, wayOut));
}

}  // namespace

void checkSchedule(const Schedule& s) {
  requireCount("batch", s.batch, 1, kMostBatch);
  requireCount("steps", s.steps, 0, kMostSteps);
  requireCount("warm-up steps", s.warmUp, 0, kMostSteps);
  requireCount("evaluate every", s.evaluateEvery, 1, kMostSteps);
  requireCount("snapshot bytes", s.snapshotBytes, 0, std::numeric_limits<Index>::max() / 2);
  requireNumber("learning rate", s.optimiser.learningRate, "give a number from 0, such as 0.001");
  requireNumber("weight decay", s.optimiser.weightDecay, "give a number from 0");
  requireNumber("longest gradient", s.optimiser.clip, "give a number from 0");
}

double learningRateAt(const Schedule& s, Index step) {
  const double rising =
      s.warmUp > 0 ? std::min(1.0, static_cast<double>(step) / static_cast<double>(s.warmUp)) : 1.0;
  const double through =
      s.steps > 0 ? static_cast<double>(step - 1) / static_cast<double>(s.steps) : 0.0;
  return s.optimiser.learningRate * rising * 0.5 *
         (1.0 + std::cos(std::numbers::pi * std::min(1.0, through)));
}

Index bytesOfRun(const Schedule& schedule, Index parameters) {
  return 4 * parameters * static_cast<Index>(sizeof(float)) + schedule.snapshotBytes;
}

ModelTrainer::ModelTrainer(const Schedule& schedule)
    : memory_(std::make_shared<BlockStore>()), snapshots_(schedule.snapshotBytes) {}

void ModelTrainer::keepMemory() { memory_->keepFree(stepWork().bytes + evaluationWork().bytes); }

ExecutionContext ModelTrainer::withMemory(const ExecutionContext& given) const {
  ExecutionContext execution = given;
  execution.memory = memory_;
  return execution;
}

bool ModelTrainer::step(const ExecutionContext& given) {
  if (stopped_) return false;
  if (evaluatedAt() < 0 && !evaluate(given)) return false;
  const ExecutionContext execution = withMemory(given);
  const ScopedThreadLimit threads(
      threadsFor(stepWork().flops, execution.threads, execution.flopsPerThread));
  if (!train(execution)) return false;
  const bool due = stepsTaken_ % schedule().evaluateEvery == 0 || stepsTaken_ == schedule().steps;
  if (due) evaluate(given);  // the step counts even where the evaluation is cancelled
  return !stopped_;
}

bool ModelTrainer::train(const ExecutionContext& execution) {
  const double start = clockSeconds();
  const std::optional<BatchResult> result = runBatch(stepsTaken_, execution);
  if (!result) return false;
  if (!std::isfinite(result->loss)) {
    stop(result->notFinite);
    return false;
  }
  training::OptimiserSettings optimiser = schedule().optimiser;
  optimiser.learningRate = learningRateAt(schedule(), stepsTaken_ + 1);
  const ExecutionContext whole{execution.threads};  // a step that has begun is not cancelled
  const double length = training::takeStep(parameters(), optimiser, stepsTaken_ + 1, whole);
  if (!std::isfinite(length)) {
    const auto all = parameters();
    const auto found = std::ranges::find_if(all, [](const Parameter& parameter) {
      return !std::isfinite(training::lengthOf(parameter.gradient));
    });
    stop("the gradient of " + (found == all.end() ? "the whole" : found->name));
    return false;
  }
  ++stepsTaken_;
  records_.push_back({stepsTaken_, result->loss, length});
  trainingMs_ += millisecondsSince(start);
  return true;
}

bool ModelTrainer::evaluate(const ExecutionContext& given) {
  if (stopped_) return false;
  if (evaluatedAt() == stepsTaken_) return true;
  const ExecutionContext execution = withMemory(given);
  const ScopedThreadLimit threads(
      threadsFor(evaluationWork().flops, execution.threads, execution.flopsPerThread));
  const std::optional<BatchResult> result = addEvaluation(execution);
  if (!result) return false;
  if (!std::isfinite(result->loss)) {
    stop(result->notFinite);
    return false;
  }
  snapshots_.add(stepsTaken_, parameters(), madeDiscovery());
  return true;
}

/// Restores the parameters of the last good snapshot, and drops the curves after it.
void ModelTrainer::stop(std::string what) {
  training::Stop why{stepsTaken_ + 1, std::move(what), 0, {}};
  if (why.tensor.empty()) why.tensor = "the loss";
  if (const Snapshot* good = snapshots_.atMost(stepsTaken_)) {
    goBack(good->step);
    why.back = good->step;
  }
  why.words = fmt::format(
      "step {}: {} does not fit a 32-bit float; the parameters are those after step {} again: "
      "train with a lower learning rate than {}",
      withThousands(why.step), why.tensor, withThousands(why.back),
      schedule().optimiser.learningRate);
  stopped_ = std::move(why);
}

const Snapshot& ModelTrainer::snapshotAt(Index step) const {
  const Snapshot* snapshot = snapshots_.atMost(step);
  if (snapshot == nullptr) throw std::logic_error("no snapshot of so early a step");
  return *snapshot;
}

void ModelTrainer::goBack(Index step) {
  const Snapshot& snapshot = snapshotAt(step);
  putInto(snapshot, parameters());
  stepsTaken_ = snapshot.step;
  snapshots_.dropAfter(stepsTaken_);
  std::erase_if(records_, [this](const StepRecord& r) { return r.step > stepsTaken_; });
  dropEvaluationsAfter(stepsTaken_);
  stopped_.reset();
}

void ModelTrainer::resumeAt(Index stepsTaken, double trainingMs, std::vector<StepRecord> records) {
  stepsTaken_ = stepsTaken;
  trainingMs_ = trainingMs;
  records_ = std::move(records);
}

void ModelTrainer::setLearningRate(double rate) {
  Schedule changed = schedule();
  changed.optimiser.learningRate = rate;
  change(changed);
}

void ModelTrainer::setBatch(Index batch) {
  Schedule changed = schedule();
  changed.batch = batch;
  change(changed);
  keepMemory();
}

void ModelTrainer::setSteps(Index steps) {
  Schedule changed = schedule();
  changed.steps = steps;
  change(changed);
}

}  // namespace headscope::model_training
