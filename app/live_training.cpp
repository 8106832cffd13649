#include "app/live_training.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/frame_context.h"
#include "core/base/execution.h"
#include "core/training/task_pass.h"

namespace headscope {
namespace {

/// The maximum duration of one request: the delay of a new learning rate, and the greatest age of
/// the picture.
constexpr double kFastSeconds = 0.03;
constexpr Index kStripMoments = 7;    // the number of moments side by side
constexpr std::size_t kMostKept = 3;  // runs that can be returned to; each takes up to 100 MB
constexpr Index kMostCaughtUp = 8;  // the most overdue steps that are made up for on a slow machine

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

template <typename Item>
const Item* newest(const std::vector<Item>& items, Index step) {
  const auto after = std::find_if(items.begin(), items.end(),
                                  [step](const Item& item) { return item.step > step; });
  return after == items.begin() ? nullptr : &*std::prev(after);
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

const training::Evaluation* TrainingMoment::evaluation() const { return newest(evaluations, step); }
const training::StepRecord* TrainingMoment::record() const { return newest(records, step); }

LiveTraining::Live::Live(const training::Task& task, const training::TrainingSettings& settings,
                         Index memoryBudget, std::uint64_t momentsBefore)
    : run(task, settings, memoryBudget),
      shown(task, settings.model, settings.seed),
      examples(training::evaluationExamples(task)),
      budget(memoryBudget),
      moments(momentsBefore) {}

std::optional<TrainingMoment> LiveTraining::Live::advance(const Request& request,
                                                          const std::atomic<bool>& cancelled) {
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  const double start = clockSeconds();
  for (const Change& change : request.changes) change(run);
  for (Index i = 0; i < request.steps && !run.finished(); ++i) {
    if (i > 0 && request.seconds && clockSeconds() - start > *request.seconds) break;
    if (!run.step(execution)) break;
  }
  TrainingMoment moment;
  moment.task = &run.task();
  moment.settings = run.settings();
  moment.stepsTaken = moment.step = run.stepsTaken();
  const training::TaskModel* model = &run.model();
  const training::Snapshot* snapshot =
      request.look ? run.snapshots().atMost(*request.look) : nullptr;
  if (snapshot != nullptr && snapshot->step < run.stepsTaken()) {
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
    moment.document = training::documentOf(pass, *model, *request.document, 0, budget);
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
  return moment;
}

void LiveTraining::begin(const training::Task& task, const training::TrainingSettings& settings) {
  const bool another = !isOf(task, settings);
  begunLast_ = {&task, settings};
  auto run = std::make_shared<Live>(task, settings, memoryBudgetBytes_, ++begun_ << 32U);
  std::erase_if(kept_,
                [&](const KeptRun& other) { return sameRun(*other.moment, task, settings); });
  if (another) keepRun();
  show({std::move(run), nullptr});
}

void LiveTraining::keepRun() {
  if (run_ == nullptr || moment_ == nullptr || moment_->stepsTaken == 0) return;
  kept_.push_back({run_, moment_});
  if (kept_.size() > kMostKept) kept_.erase(kept_.begin());
}

void LiveTraining::show(KeptRun other) {
  task_.stop();  // cancels the previous run
  run_ = std::move(other.run);
  moment_ = std::move(other.moment);
  problem_.clear();
  playing_ = false;
  stale_ = true;
  asked_ = 0;
  look_ = document_ = std::nullopt;
  changes_.clear();
}

void LiveTraining::setAside() {
  task_.stop();
  aside_ = Aside{std::exchange(run_, nullptr), std::exchange(moment_, nullptr),
                 std::exchange(begunLast_, std::nullopt), std::exchange(look_, std::nullopt),
                 std::exchange(kept_, {})};
  problem_.clear();
  playing_ = stale_ = false;
  asked_ = 0;
  document_.reset();
  changes_.clear();
}

void LiveTraining::bringBack() {
  if (!aside_) return;
  Aside own = *std::exchange(aside_, std::nullopt);
  setAside();  // drops what was shown in the meantime
  aside_.reset();
  run_ = std::move(own.run);
  moment_ = std::move(own.moment);
  begunLast_ = own.begunLast;
  look_ = own.look;
  kept_ = std::move(own.kept);
  stale_ = run_ != nullptr;
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

void LiveTraining::play(bool on) {
  playing_ = on && run_ != nullptr;
  lastStepAt_ = now_;
  if (on) lookAt(std::nullopt);
}

void LiveTraining::change(Change change) {
  changes_.push_back(std::move(change));
  stale_ = true;
}

void LiveTraining::setLearningRate(double rate) {
  change([rate](training::Trainer& run) { run.setLearningRate(rate); });
}
void LiveTraining::setBatch(Index batch) {
  change([batch](training::Trainer& run) { run.setBatch(batch); });
}
void LiveTraining::setSteps(Index steps) {
  change([steps](training::Trainer& run) { run.setSteps(steps); });
}

void LiveTraining::lookAt(std::optional<Index> step) {
  if (look_ == step) return;
  look_ = step;
  stale_ = true;
}

void LiveTraining::goBack(Index step) {
  playing_ = false;
  look_.reset();
  change([step](training::Trainer& run) { run.goBack(step); });
}

void LiveTraining::showExample(Index example) {
  if (example_ == example) return;
  example_ = example;
  stale_ = true;
}

void LiveTraining::request(Extra what) {
  if (extra_ == what) return;
  extra_ = what;
  stale_ = stale_ || what != Extra::nothing;
}

void LiveTraining::askForDocument(Index layer) {
  document_ = layer;
  stale_ = true;
}

std::optional<double> LiveTraining::dueIn() const {
  if (run_ == nullptr || task_.busy()) return std::nullopt;  // the thread will wake it
  if (asked_ > 0 || stale_) return 0.0;
  if (!playing_) return std::nullopt;
  if (speed_ <= 0.0) return 0.0;
  return std::max(0.0, lastStepAt_ + 1.0 / speed_ - now_);
}

void LiveTraining::follow(double now) {
  now_ = now;
  if (auto outcome = task_.take()) {
    problem_ = outcome->error;
    if (outcome->result) {
      moment_ = std::make_shared<const TrainingMoment>(std::move(*outcome->result));
      if (moment_->finished) playing_ = false;
    } else {
      playing_ = false;
    }
  }
  if (run_ == nullptr || task_.busy()) return;
  Request request;
  request.steps = std::exchange(asked_, 0);
  if (playing_ && speed_ <= 0.0) {
    request.seconds = kFastSeconds;
    request.steps += moment_ != nullptr ? moment_->settings.steps : 1;
  } else if (playing_) {
    const auto due = static_cast<Index>(std::floor((now - lastStepAt_) * speed_));
    if (due > 0) {
      lastStepAt_ = due > kMostCaughtUp ? now : lastStepAt_ + static_cast<double>(due) / speed_;
      request.steps += std::min(due, kMostCaughtUp);
    }
  }
  const bool stale = std::exchange(stale_, false);
  if (request.steps == 0 && !stale) return;
  request.look = look_;
  request.example = example_;
  request.extra = extra_;
  request.document = std::exchange(document_, std::nullopt);
  request.changes = std::exchange(changes_, {});
  task_.request([live = run_, request = std::move(request)](const std::atomic<bool>& cancelled) {
    return live->advance(request, cancelled);
  });
}

}  // namespace headscope
