#include "app/live_study.h"

#include <algorithm>
#include <utility>

#include "app/live_training.h"
#include "core/base/execution.h"
#include "core/training/task_pass.h"

namespace headscope {
namespace {

/// The duration of one request, and thus the greatest age of the picture.
constexpr double kRoundsSeconds = 0.05;

bool sameVariants(const std::vector<training::Variant>& a,
                  const std::vector<training::Variant>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.settings == y.settings; });
}

}  // namespace

/// The thread's state of one study, shared so that it outlives a replaced study.
struct LiveStudy::Runs {
  Runs(const training::Task& task, const std::vector<training::Variant>& given, Index memoryBudget,
       std::uint64_t momentsBefore)
      : variants(given),
        study(task, given, memoryBudget),
        example(oneExample(training::evaluationExamples(task), 0)),
        moments(momentsBefore) {}

  /// Runs one training step of one run. Returns true with `moment` set after whole rounds, when all
  /// runs have taken the same number of steps.
  bool runUnit(const std::atomic<bool>& cancelled, std::optional<StudyMoment>& moment);

  std::vector<training::Variant> variants;
  training::Study study;
  training::Examples example;
  std::uint64_t moments;
  std::size_t inRound = 0;          // the number of steps in the present round
  std::optional<double> startedAt;  // the start of the present request, as clockSeconds()

 private:
  std::optional<StudyMoment> moment(const ExecutionContext& execution);
};

bool LiveStudy::Runs::runUnit(const std::atomic<bool>& cancelled,
                              std::optional<StudyMoment>& found) {
  const ExecutionContext execution{0, &cancelled};
  if (!startedAt) startedAt = clockSeconds();
  if (!study.finished() && study.step(execution)) inRound = (inRound + 1) % study.runs().size();
  const bool wholeRounds = inRound == 0 && clockSeconds() - *startedAt >= kRoundsSeconds;
  if (!wholeRounds && !study.finished() && !execution.stop()) return false;
  startedAt.reset();
  found = moment(execution);
  return true;
}

std::optional<StudyMoment> LiveStudy::Runs::moment(const ExecutionContext& execution) {
  StudyMoment moment;
  moment.variants = variants;
  moment.finished = study.finished();
  for (const auto& run : study.runs()) {
    const training::Trainer& trainer = run->trainer();
    moment.task = &trainer.task();
    moment.trainingMs += trainer.trainingMs();
    if (trainer.evaluations().empty()) return std::nullopt;
    training::TaskPass pass(trainer.model(), example);
    if (!pass.forward(execution)) return std::nullopt;
    StudyMoment::Run shown{training::figuresOf(*run), trainer.records(), run->scores(), {}};
    for (Index layer = 0; layer < trainer.settings().model.layers; ++layer) {
      shown.weights.push_back(pass.layer(layer).tensor(TensorId::weights));
    }
    moment.runs.push_back(std::move(shown));
  }
  moment.number = ++moments;
  return moment;
}

std::vector<training::StudyFigures> StudyMoment::figures() const {
  std::vector<training::StudyFigures> all;
  all.reserve(runs.size());
  for (const Run& run : runs) all.push_back(run.figures);
  return all;
}

LiveStudy::LiveStudy(Scheduler& scheduler, Index memoryBudgetBytes,
                     std::shared_ptr<const StudyMoment> shown)
    : memoryBudgetBytes_(memoryBudgetBytes), moment_(std::move(shown)), background_(scheduler) {
  if (moment_ == nullptr) return;
  task_ = moment_->task;
  variants_ = moment_->variants;
}

void LiveStudy::begin(const training::Task& task, std::vector<training::Variant> variants) {
  runs_ = std::make_shared<Runs>(task, variants, memoryBudgetBytes_, ++begun_ << 32U);
  background_.stop();  // cancels the previous study
  task_ = &task;
  variants_ = std::move(variants);
  moment_ = nullptr;
  problem_.clear();
  playing_ = true;
}

bool LiveStudy::isOf(const training::Task& task,
                     const std::vector<training::Variant>& variants) const {
  return task_ == &task && sameVariants(variants, variants_);
}

void LiveStudy::setAside() {
  background_.stop();
  aside_ = Aside{std::exchange(task_, nullptr), std::exchange(variants_, {}),
                 std::exchange(runs_, nullptr), std::exchange(moment_, nullptr),
                 std::exchange(problem_, {})};
  playing_ = false;
}

void LiveStudy::bringBack() {
  if (!aside_) return;
  Aside own = *std::exchange(aside_, std::nullopt);
  background_.stop();
  playing_ = false;
  task_ = own.task;
  variants_ = std::move(own.variants);
  runs_ = std::move(own.runs);
  moment_ = std::move(own.moment);
  problem_ = std::move(own.problem);
}

void LiveStudy::follow() {
  if (auto outcome = background_.take()) {
    problem_ = outcome->error;
    if (outcome->result) {
      moment_ = std::make_shared<const StudyMoment>(std::move(*outcome->result));
    }
    if (!problem_.empty() || (moment_ != nullptr && moment_->finished)) playing_ = false;
  }
  if (!due()) return;
  background_.requestUnits([runs = runs_](const std::atomic<bool>& cancelled, auto& moment) {
    return runs->runUnit(cancelled, moment);
  });
}

}  // namespace headscope
