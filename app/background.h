// Background work: tasks for which the interface must not wait. A task is a sequence of units; each
// unit is one plain call. A new request replaces the one that waits and cancels the one under way,
// whose result is discarded.
//
// TaskRunner runs one task at a time, on its own thread or on the threads of a TaskPool.
// BackgroundTask adds a result. Without threads (a browser's page that is not isolated), units run
// between two events of the page.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/event_loop_queue.h"
#include "core/base/error.h"

namespace headscope {

/// The time per frame for units of work where there are no threads.
inline constexpr double kFrameBudgetSeconds = 0.02;

class TaskRunner;

/// A few threads that run the units of any number of TaskRunners, one unit of each in turn. The
/// pool must outlive its runners.
class TaskPool {
 public:
  explicit TaskPool(int threads) : threadCount_(threads) {}
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

 private:
  friend class TaskRunner;
  /// Queues a runner that has a unit to run.
  void enqueue(TaskRunner& runner);
  /// Takes a runner out of the queue and waits until none of its units runs.
  void remove(TaskRunner& runner);
  void loop();

  [[maybe_unused]] const int threadCount_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<TaskRunner*> queue_;
  std::vector<TaskRunner*> running_;
  bool stopping_ = false;
#ifndef HEADSCOPE_NO_THREADS
  std::vector<std::thread> threads_;  // started by the first runner that is queued
#endif
};

/// Runs one task at a time, unit by unit, on the pool's threads, or on its own thread without a
/// pool.
class TaskRunner {
 public:
  enum class After {
    rest,  // the task is finished or cancelled
    news,  // the task is finished and calls the wake function
    more,  // a unit is finished; the task runs again unless another is requested
  };
  /// A task: each call runs its next unit and polls `cancelled`.
  using Task = std::function<After(const std::atomic<bool>& cancelled)>;

  explicit TaskRunner(TaskPool* pool = nullptr) : pool_(pool) {}
  /// Cancels the running task and joins the thread.
  ~TaskRunner();
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  /// Sets `wake`, which the thread calls.
  void setWake(std::function<void()> wake);
  /// Sets `rest`, which the thread calls once whenever `seconds` pass without a request. Call it
  /// before the first request, without a pool. Without threads `rest` is never called.
  void onRest(double seconds, std::function<void()> rest);
  void request(Task task);
  /// Drops the requested task and cancels the running one.
  void stop();
  bool busy() const;
  /// Waits until nothing is requested or running, at most `seconds` (negative: as long as it
  /// takes).
  void wait(double seconds = -1.0);
  /// Calls the wake function for a task that has a result before its end.
  void wake();

 private:
  friend class TaskPool;
  bool idle() const { return !requested_ && !running_; }
  /// Runs a unit of the requested task. Returns whether it has another one.
  bool runUnitOnPool();
  /// Runs the requested task; `lock` holds mutex_ before and after.
  void runRequested(std::unique_lock<std::mutex>& lock);
  void loop();

  TaskPool* pool_;
  std::mutex wakeMutex_;  // held while waking: setWake() waits until the call returns
  std::function<void()> wake_;
  double restAfter_ = 0.0;
  std::function<void()> rest_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Task requested_;
  bool running_ = false;
  bool stopping_ = false;
  std::atomic<bool> cancelled_{false};
#ifdef HEADSCOPE_NO_THREADS
  /// Schedules units of the requested task after the current event.
  void schedule();
  EventLoopQueue later_;
  bool scheduled_ = false;
#else
  std::thread thread_;  // started by the first request
#endif
};

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
  /// Returns true after the last unit, which sets the result.
  using NextUnit = std::function<bool(const std::atomic<bool>& cancelled, std::optional<Result>&)>;
  struct Outcome {
    std::optional<Result> result;
    std::string error;  // why there is no result
  };

  explicit BackgroundTask(TaskPool* pool = nullptr) : thread_(pool) {}

  /// Sets `wake`, which the task's thread calls after each outcome.
  void setWake(std::function<void()> wake) { thread_.setWake(std::move(wake)); }

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
    thread_.request([this, next = std::move(next)](const std::atomic<bool>& cancelled) {
      Outcome outcome;
      bool last = true;
      outcome.error = whyNot([&] { last = next(cancelled, outcome.result); });
      const std::lock_guard done(mutex_);
      if (cancelled) return TaskRunner::After::rest;
      if (!last) return TaskRunner::After::more;
      outcome_ = std::move(outcome);
      return TaskRunner::After::news;
    });
  }

  /// Publishes an early result, which can be taken before the final outcome. The work itself calls
  /// it, on its thread.
  void tell(Result early, const std::atomic<bool>& cancelled) {
    {
      const std::lock_guard lock(mutex_);
      if (cancelled) return;
      outcome_ = Outcome{std::move(early), {}};
    }
    thread_.wake();
  }

  /// Returns the outcome of the newest request, once.
  std::optional<Outcome> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outcome_, std::nullopt);
  }

  /// Drops the requested task, cancels the running one and discards every outcome.
  void stop() {
    thread_.stop();
    const std::lock_guard lock(mutex_);
    outcome_.reset();
  }
  bool busy() const { return thread_.busy(); }

  /// Waits until nothing is requested or running. Returns whether an outcome can be taken.
  bool wait() {
    thread_.wait();
    const std::lock_guard lock(mutex_);
    return outcome_.has_value();
  }

 private:
  std::mutex mutex_;
  std::optional<Outcome> outcome_;
  TaskRunner thread_;  // last: destroyed before the members that it writes
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

}  // namespace headscope
