// Background task: work with a result, which the scheduler runs in the background. A new request
// replaces the requested work and cancels the work under way, whose result is discarded. See the
// example in app/scheduler.h.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "app/scheduler.h"
#include "core/base/error.h"

namespace headscope {

/// Runs `action`. Returns the error as a sentence, or an empty string on success.
template <typename Action>
std::string whyNot(Action&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return sentenceFor(error);
  }
  return {};
}

/// A background task with a result.
template <typename Result>
class BackgroundTask {
 public:
  /// Work that polls `cancelled`; returns null once cancelled.
  using Work = std::function<std::optional<Result>(const std::atomic<bool>& cancelled)>;
  /// Runs the next unit of work, such as a training step, a layer of a model or one run of a study.
  /// Returns true after the last unit, which sets the result; an earlier one may set what is known
  /// so far, which can be taken before the final outcome.
  using NextUnit = std::function<bool(const std::atomic<bool>& cancelled, std::optional<Result>&)>;
  struct Outcome {
    std::optional<Result> result;
    std::string error;  // why there is no result
  };

  explicit BackgroundTask(Scheduler& scheduler) : runner_(scheduler) {}

  /// Sets `wake`, which another thread calls after each outcome.
  void setWake(std::function<void()> wake) { runner_.setWake(std::move(wake)); }

  /// Wraps work as a single unit.
  static NextUnit oneUnit(Work work) {
    return [work = std::move(work)](const std::atomic<bool>& cancelled,
                                    std::optional<Result>& result) {
      result = work(cancelled);
      return true;
    };
  }

  void request(Work work) { requestUnits(oneUnit(std::move(work))); }
  void requestUnits(NextUnit next) {
    const std::lock_guard lock(mutex_);
    outcome_.reset();
    runner_.request([this, next = std::move(next)](const std::atomic<bool>& cancelled) {
      Outcome outcome;
      bool last = true;
      outcome.error = whyNot([&] { last = next(cancelled, outcome.result); });
      const std::lock_guard done(mutex_);
      if (cancelled) return TaskRunner::After::rest;
      if (!last) {
        if (outcome.result) outcome_ = std::move(outcome);
        return TaskRunner::After::more;
      }
      outcome_ = std::move(outcome);
      return TaskRunner::After::news;
    });
  }

  /// Publishes an early result, which can be taken before the final outcome. The work itself calls
  /// it.
  void publishEarly(Result early, const std::atomic<bool>& cancelled) {
    {
      const std::lock_guard lock(mutex_);
      if (cancelled) return;
      outcome_ = Outcome{std::move(early), {}};
    }
    runner_.wake();
  }

  /// Calls the function that setWake() set, if any. The work itself calls it, for news that are no
  /// outcome.
  void wake() { runner_.wake(); }

  /// Returns the outcome of the newest request, once.
  std::optional<Outcome> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outcome_, std::nullopt);
  }

  /// Drops the requested task, cancels the running one and discards every outcome.
  void stop() {
    runner_.stop();
    const std::lock_guard lock(mutex_);
    outcome_.reset();
  }
  bool busy() const { return runner_.busy(); }

  /// Waits until nothing is requested or running. Returns whether an outcome can be taken.
  bool wait() {
    runner_.wait();
    const std::lock_guard lock(mutex_);
    return outcome_.has_value();
  }

 private:
  std::mutex mutex_;
  std::optional<Outcome> outcome_;
  TaskRunner runner_;  // last: destroyed before the members that it writes
};

/// Adapts an object with runUnit(), which returns true after its last unit, to a NextUnit. `begin`
/// creates the object as a shared_ptr in the first unit; `result` reads its result, if any.
template <typename Begin, typename ReadResult>
auto unitsOf(Begin begin, ReadResult result) {
  using Held = std::invoke_result_t<Begin, const std::atomic<bool>&>;
  return [begin = std::move(begin), result = std::move(result), held = Held()](
             const std::atomic<bool>& cancelled, auto& found) mutable {
    if (held == nullptr) held = begin(cancelled);
    if (!held->runUnit()) return false;
    found = result(*held);
    return true;
  };
}

/// Adapts an object with runUnit() and news(), the result so far where it has changed, to a
/// NextUnit, as unitsOf does.
template <typename Begin>
auto unitsWithNews(Begin begin) {
  using Held = std::invoke_result_t<Begin, const std::atomic<bool>&>;
  return [begin = std::move(begin), held = Held()](const std::atomic<bool>& cancelled,
                                                   auto& found) mutable {
    if (held == nullptr) held = begin(cancelled);
    const bool last = held->runUnit();
    found = held->news();
    return last;
  };
}

}  // namespace headscope
