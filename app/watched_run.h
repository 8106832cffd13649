// Watched run: the base of the training runs that are watched while they learn in the background.
// It has their pace, the newest moment, a look at an earlier step, and changes that take effect
// with the next step. The derived class holds the run itself, and turns what is due into work:
//
//   if (auto due = takeDue(now)) {
//     request([run = run_, due = std::move(*due)](const std::atomic<bool>& cancelled) {
//       return run->advance(due, cancelled);  // an std::optional<Moment>; none once cancelled
//     });
//   }
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/background_task.h"
#include "core/base/execution.h"
#include "core/base/index.h"

namespace headscope {

/// The steps that a run is to take, and what its next moment shows.
template <typename Trainer>
struct StepsDue {
  Index steps = 0;
  std::optional<double> seconds;  // the time after which no further step begins
  std::optional<Index> look;      // an earlier step whose parameters are shown
  std::vector<std::function<void(Trainer&)>> changes;

  /// Makes the changes and takes the steps.
  void advance(Trainer& run, const ExecutionContext& execution) const {
    const double start = clockSeconds();
    for (const auto& change : changes) change(run);
    for (Index i = 0; i < steps && !run.finished(); ++i) {
      if (i > 0 && seconds && clockSeconds() - start > *seconds) break;
      if (!run.step(execution)) break;
    }
  }
};

/// The last item with a step of at most `step`; null where there is none.
template <typename Item>
const Item* newestAt(const std::vector<Item>& items, Index step) {
  const auto after = std::find_if(items.begin(), items.end(),
                                  [step](const Item& item) { return item.step > step; });
  return after == items.begin() ? nullptr : &*std::prev(after);
}

/// `Moment` has `finished`, `settings.steps`, `stepsTaken` and `evaluations`, each with its `step`.
template <typename Trainer, typename Moment>
class WatchedRun {
 public:
  using Due = StepsDue<Trainer>;
  using MomentPtr = std::shared_ptr<const Moment>;

  WatchedRun(const WatchedRun&) = delete;
  WatchedRun& operator=(const WatchedRun&) = delete;

  Index memoryBudget() const { return memoryBudget_; }
  void setWake(std::function<void()> wake) { task_.setWake(std::move(wake)); }

  void play(bool on) {
    playing_ = on && runs_;
    lastStepAt_ = now_;
    if (on) lookAt(std::nullopt);
  }
  bool playing() const { return playing_; }
  void stepOnce() { ++asked_; }
  /// Steps per second; 0: no limit.
  void setSpeed(double speed) { speed_ = speed; }
  double speed() const { return speed_; }

  /// These settings take effect with the next step.
  void setLearningRate(double rate) {
    change([rate](Trainer& run) { run.setLearningRate(rate); });
  }
  void setBatch(Index batch) {
    change([batch](Trainer& run) { run.setBatch(batch); });
  }
  void setSteps(Index steps) {
    change([steps](Trainer& run) { run.setSteps(steps); });
  }

  /// Shows the parameters of an earlier step; none: the newest ones.
  void lookAt(std::optional<Index> step) {
    if (look_ == step) return;
    look_ = step;
    stale_ = true;
  }
  std::optional<Index> lookedAt() const { return look_; }
  /// Pauses the run and shows an earlier step, or the newest one.
  void showStep(Index step) {
    if (moment_ == nullptr) return;
    play(false);
    lookAt(step < moment_->stepsTaken ? std::optional(step) : std::nullopt);
  }
  /// Pauses the run and shows the evaluation before the shown step.
  void showEarlier() {
    if (moment_ == nullptr) return;
    const Index shown = look_.value_or(moment_->stepsTaken);
    if (const auto* before = newestAt(moment_->evaluations, shown - 1)) showStep(before->step);
  }
  /// Shows the evaluation after the shown step; the newest step after the last of them.
  void showLater() {
    if (moment_ == nullptr || !look_) return;
    const auto& all = moment_->evaluations;
    const auto after = std::ranges::find_if(all, [&](const auto& at) { return at.step > *look_; });
    showStep(after != all.end() ? after->step : moment_->stepsTaken);
  }
  /// Continues the run from the snapshot of an earlier step.
  void goBack(Index step) {
    playing_ = false;
    look_.reset();
    change([step](Trainer& run) { run.goBack(step); });
  }
  /// The number of seconds until more work is due; none: nothing is scheduled.
  std::optional<double> dueIn() const {
    if (!runs_ || task_.busy()) return std::nullopt;  // the thread will wake it
    if (asked_ > 0 || stale_) return 0.0;
    if (!playing_) return std::nullopt;
    if (speed_ <= 0.0) return 0.0;
    return std::max(0.0, lastStepAt_ + 1.0 / speed_ - now_);
  }

  /// The newest moment; null before the first.
  MomentPtr moment() const { return moment_; }
  const std::string& problem() const { return problem_; }
  bool busy() const { return task_.busy(); }
  /// Waits until nothing is computed. Returns whether a moment can be taken.
  bool finish() { return task_.wait(); }
  /// Cancels the running computation.
  void stop() { task_.stop(); }

 protected:
  /// `seconds`: the longest time of one request at full speed: the delay of a change, and the
  /// greatest age of the picture. `shown`: a moment of another run, for a picture of it.
  WatchedRun(Scheduler& scheduler, Index memoryBudgetBytes, double seconds, double speed,
             MomentPtr shown)
      : memoryBudget_(memoryBudgetBytes),
        seconds_(seconds),
        usualSpeed_(speed),
        speed_(speed),
        moment_(std::move(shown)),
        task_(scheduler) {}
  ~WatchedRun() = default;

  /// Sets the speed with which the program starts, and returns the one before.
  double resetSpeed() { return std::exchange(speed_, usualSpeed_); }

  /// Shows another run, paused, without anything that was asked of the one before. `runs`: it can
  /// take steps.
  void show(MomentPtr moment, bool runs, std::optional<Index> look = std::nullopt) {
    task_.stop();  // cancels the previous run
    moment_ = std::move(moment);
    problem_.clear();
    runs_ = stale_ = runs;
    playing_ = false;
    asked_ = 0;
    look_ = look;
    changes_.clear();
  }

  void change(std::function<void(Trainer&)> change) {
    changes_.push_back(std::move(change));
    stale_ = true;
  }
  /// The moment no longer matches what is to be shown.
  void outdate() { stale_ = true; }

  /// Takes the newest moment. Returns what is due at `now`, in seconds; nothing where nothing is.
  std::optional<Due> takeDue(double now) {
    now_ = now;
    if (auto outcome = task_.take()) {
      problem_ = outcome->error;
      if (outcome->result) moment_ = std::make_shared<const Moment>(std::move(*outcome->result));
      if (!outcome->result || moment_->finished) playing_ = false;
    }
    if (!runs_ || task_.busy()) return std::nullopt;
    Due due;
    due.steps = std::exchange(asked_, 0);
    if (playing_ && speed_ <= 0.0) {
      due.seconds = seconds_;
      due.steps += moment_ != nullptr ? moment_->settings.steps : 1;
    } else if (playing_) {
      due.steps += stepsSinceLast();
    }
    const bool stale = std::exchange(stale_, false);
    if (due.steps == 0 && !stale) return std::nullopt;
    due.look = look_;
    due.changes = std::exchange(changes_, {});
    return due;
  }
  void request(typename BackgroundTask<Moment>::Work work) { task_.request(std::move(work)); }

 private:
  Index stepsSinceLast() {
    constexpr Index kMostCaughtUp = 8;  // overdue steps that are made up for on a slow machine
    const auto due = static_cast<Index>(std::floor((now_ - lastStepAt_) * speed_));
    if (due <= 0) return 0;
    lastStepAt_ = due > kMostCaughtUp ? now_ : lastStepAt_ + static_cast<double>(due) / speed_;
    return std::min(due, kMostCaughtUp);
  }

  Index memoryBudget_;
  double seconds_, usualSpeed_, speed_;
  MomentPtr moment_;
  std::string problem_;
  bool runs_ = false;
  bool playing_ = false;
  bool stale_ = false;  // the moment does not match the requested view
  double now_ = 0.0, lastStepAt_ = 0.0;
  Index asked_ = 0;
  std::optional<Index> look_;
  std::vector<std::function<void(Trainer&)>> changes_;
  BackgroundTask<Moment> task_;  // last: destroyed before the members that it writes
};

}  // namespace headscope
