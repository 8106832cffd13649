#include "app/live_training.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "app/ui/frame_context.h"
#include "core/base/execution.h"
#include "core/training/task_pass.h"

namespace headscope {
namespace {

constexpr Index kStripMoments = 7;    // the number of moments side by side
constexpr std::size_t kMostKept = 3;  // runs that can be returned to; each takes up to 100 MB

bool sameRun(const TrainingMoment& moment, const training::Task& task,
             const training::TrainingSettings& settings) {
  return moment.task == &task && moment.settings.model == settings.model &&
         moment.settings.seed == settings.seed;
}

template <typename Value>
std::vector<Value> partOf(const std::vector<Value>& all, Index n, Index count) {
  const auto size = static_cast<std::ptrdiff_t>(all.size()) / count;
  return {all.begin() + n * size, all.begin() + (n + 1) * size};
}

}  // namespace

training::Examples oneExample(const training::Examples& all, Index n) {
  training::Examples one;
  one.count = 1;
  one.length = all.length;
  one.symbols = partOf(all.symbols, n, all.count);
  one.series = partOf(all.series, n, all.count);
  for (const auto& answers : all.answers) one.answers.push_back(partOf(answers, n, all.count));
  for (const auto& partners : all.partners) one.partners.push_back(partOf(partners, n, all.count));
  return one;
}

const training::Evaluation* TrainingMoment::evaluation() const {
  return newestAt(evaluations, step);
}
const training::StepRecord* TrainingMoment::record() const { return newestAt(records, step); }

void TrainingMoment::forgetLater() {
  const auto later = [this](const auto& item) { return item.step > step; };
  std::erase_if(records, later);
  std::erase_if(evaluations, later);
  std::erase_if(strip, later);
  for (auto& found : foundAt) {
    if (found && *found > step) found.reset();
  }
  if (stepsTaken > step) {
    stopped.reset();
    finished = false;
  }
  stepsTaken = step;
  trainingMs = 0.0;
}

struct LiveTraining::Live {
  Live(const training::Task& task, const training::TrainingSettings& settings, Index memoryBudget,
       std::uint64_t momentsBefore)
      : run(task, settings, memoryBudget),
        shown(task, settings.model, settings.seed),
        examples(training::evaluationExamples(task)),
        budget(memoryBudget),
        moments(momentsBefore) {}

  std::optional<TrainingMoment> advance(const Request& request, const std::atomic<bool>& cancelled);

  std::mutex mutex;  // a film looks at the run while it may go on
  training::Trainer run;
  training::TaskModel shown;  // a model with the parameters of an earlier step
  training::Examples examples;
  Index budget;
  std::uint64_t moments;
};

LiveTraining::LiveTraining(Scheduler& scheduler, Index memoryBudgetBytes,
                           std::shared_ptr<const TrainingMoment> shown,
                           std::shared_ptr<Live> filmed)
    : WatchedRun(scheduler, memoryBudgetBytes, kFastSeconds, kSlow, shown),
      filmed_(filmed != nullptr) {
  if (shown == nullptr) return;
  begunLast_ = {shown->task, shown->settings};
  if (filmed_) show({std::move(filmed), std::move(shown)});
}

std::optional<TrainingMoment> LiveTraining::Live::advance(const Request& request,
                                                          const std::atomic<bool>& cancelled) {
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  const std::lock_guard lock(mutex);
  request.due.advance(run, execution);
  TrainingMoment moment;
  moment.task = &run.task();
  moment.settings = run.settings();
  moment.stepsTaken = moment.step = run.stepsTaken();
  const training::TaskModel* model = &run.model();
  const bool looksBack = request.due.look && *request.due.look < run.stepsTaken();
  const training::Snapshot* snapshot =
      looksBack ? run.snapshots().atMost(*request.due.look) : nullptr;
  if (snapshot != nullptr) {
    putInto(*snapshot, shown.parameters());
    model = &shown;
    moment.step = snapshot->step;
  }
  moment.example = oneExample(examples, std::clamp<Index>(request.example, 0, examples.count - 1));
  training::TaskPass pass(*model, moment.example);
  if (!pass.forward(execution)) return std::nullopt;
  for (Index layer = 0; layer < run.settings().model.layers; ++layer) {
    moment.weights.push_back(pass.layer(layer).tensor(TensorId::weights));
  }
  if (request.extra == Extra::headsOff) {
    moment.headsOff = training::switchEachOff(*model, examples, execution);
    if (!moment.headsOff) return std::nullopt;
  }
  if (request.extra == Extra::strip && !run.evaluations().empty()) {
    auto strip = training::headStrip(run, moment.example, kStripMoments, execution);
    if (!strip) return std::nullopt;
    moment.strip = std::move(*strip);
  }
  if (request.document) {
    const training::Evaluation* evaluation = newestAt(run.evaluations(), moment.step);
    moment.document =
        training::documentOf(pass, *model, *request.document, 0,
                             evaluation == nullptr ? nullptr : &evaluation->roles, budget);
  }
  moment.records = run.records();
  moment.evaluations = run.evaluations();
  for (std::size_t r = 0; r < run.task().relations.size(); ++r) {
    moment.foundAt.push_back(run.foundAt(r));
  }
  moment.stopped = run.stopped();
  moment.finished = run.finished();
  moment.trainingMs = run.trainingMs();
  moment.bytes = training::bytesOf(run.task(), run.settings());
  moment.snapshotEvery = run.snapshots().every();
  moment.number = ++moments;
  if (request.asItWas) moment.forgetLater();
  return moment;
}

void LiveTraining::begin(const training::Task& task, const training::TrainingSettings& settings) {
  const bool another = !isOf(task, settings);
  begunLast_ = {&task, settings};
  auto run = std::make_shared<Live>(task, settings, memoryBudget(), ++begun_ << 32U);
  std::erase_if(kept_,
                [&](const KeptRun& other) { return sameRun(*other.moment, task, settings); });
  if (another) keepRun();
  show({std::move(run), nullptr});
}

void LiveTraining::keepRun() {
  if (run_ == nullptr || moment() == nullptr || moment()->stepsTaken == 0) return;
  kept_.push_back({run_, moment()});
  if (kept_.size() > kMostKept) kept_.erase(kept_.begin());
}

void LiveTraining::show(KeptRun other) {
  run_ = std::move(other.run);
  WatchedRun::show(std::move(other.moment), run_ != nullptr);
  document_.reset();
}

void LiveTraining::setAside() {
  aside_ = Aside{std::exchange(run_, nullptr), moment(), std::exchange(begunLast_, std::nullopt),
                 lookedAt(), std::exchange(kept_, {})};
  aside_->speed = resetSpeed();
  show({});
}

void LiveTraining::bringBack() {
  if (!aside_) return;
  Aside own = *std::exchange(aside_, std::nullopt);
  run_ = std::move(own.run);
  begunLast_ = own.begunLast;
  kept_ = std::move(own.kept);
  document_.reset();
  WatchedRun::show(std::move(own.moment), run_ != nullptr, own.look);
  setSpeed(own.speed);
}

bool LiveTraining::resume(const training::Task& task, const training::TrainingSettings& settings) {
  const auto found = std::ranges::find_if(
      kept_, [&](const KeptRun& other) { return sameRun(*other.moment, task, settings); });
  if (found == kept_.end()) return false;
  KeptRun other = std::move(*found);
  kept_.erase(found);
  keepRun();
  begunLast_ = {&task, settings};
  show(std::move(other));
  return true;
}

std::shared_ptr<const TrainingMoment> LiveTraining::kept(const training::Task& task) const {
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const KeptRun& other) {
    return other.moment->task == &task;
  });
  return found != kept_.rend() ? found->moment : nullptr;
}

bool LiveTraining::isOf(const training::Task& task,
                        const training::TrainingSettings& settings) const {
  return begunLast_ && begunLast_->task == &task && begunLast_->settings.model == settings.model &&
         begunLast_->settings.seed == settings.seed;
}

void LiveTraining::showExample(Index example) {
  if (example_ == example) return;
  example_ = example;
  outdate();
}

void LiveTraining::request(Extra what) {
  if (extra_ == what) return;
  extra_ = what;
  if (what != Extra::nothing) outdate();
}

void LiveTraining::askForDocument(Index layer) {
  document_ = layer;
  outdate();
}

void LiveTraining::follow(double now) {
  auto due = takeDue(now);
  if (!due) return;
  Request request{std::move(*due), example_, extra_, std::exchange(document_, std::nullopt),
                  filmed_};
  WatchedRun::request(
      [live = run_, request = std::move(request)](const std::atomic<bool>& cancelled) {
        return live->advance(request, cancelled);
      });
}

}  // namespace headscope
