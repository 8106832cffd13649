// Background work: tasks that the interface must not wait for. A task is a sequence of units; each
// unit is one plain call. The newest request wins: one that waits is dropped, one under way is
// cancelled, and an older one's result is never seen.
//
// TaskRunner runs one task at a time, on a thread of its own or on the threads of a TaskPool.
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

/// Without threads, units of work run between two frames until this time is spent.
inline constexpr double kFrameBudgetSeconds = 0.02;

class TaskRunner;

/// A few threads that run the units of any number of TaskRunners, one unit of each in turn. Its
/// runners must be gone before it.
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

/// Runs one task at a time, unit by unit: on the pool's threads, or without a pool on a thread of
/// its own.
class TaskRunner {
 public:
  enum class After {
    rest,  // it is done, or stopped
    news,  // it is done, and there is something to wake for
    more,  // a unit is done: it is called again unless something else is requested
  };
  /// Runs a task's next unit. It polls `cancelled`.
  using Task = std::function<After(const std::atomic<bool>& cancelled)>;

  explicit TaskRunner(TaskPool* pool = nullptr) : pool_(pool) {}
  /// Cancels what is under way and joins.
  ~TaskRunner();
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  /// `wake` is called from the thread.
  void setWake(std::function<void()> wake);
  /// Call before the first request, without a pool: `rest` is called from the thread, once whenever
  /// nothing was requested for so many seconds. Never called where there are no threads.
  void onRest(double seconds, std::function<void()> rest);
  void request(Task task);
  /// Nothing is requested any more, and what is under way is told to stop.
  void stop();
  bool busy() const;
  /// Waits until nothing is requested or running, at most `seconds` (negative: as long as it
  /// takes).
  void wait(double seconds = -1.0);
  /// Of a task, where there is news before its end.
  void wake();

 private:
  friend class TaskPool;
  bool idle() const { return !requested_ && !running_; }
  /// Runs a unit of what is requested. True where there is another one.
  bool runUnitOnPool();
  /// What is requested; `lock` holds mutex_ before and after.
  void runRequested(std::unique_lock<std::mutex>& lock);
  void loop();

  TaskPool* pool_;
  std::mutex wakeMutex_;  // held while waking: whoever clears the wake call waits for it to return
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
  /// Runs units of what is requested after the current event.
  void schedule();
  EventLoopQueue later_;
  bool scheduled_ = false;
#else
  std::thread thread_;  // started by the first request
#endif
};

/// Does it; in words why it could not be done, empty where it could.
template <typename Action>
std::string whyNot(Action&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return sentenceFor(error);
  }
  return {};
}

/// Such work with a result.
template <typename Result>
class BackgroundTask {
 public:
  /// Asks `cancelled` now and then; null where it stopped for it.
  using Work = std::function<std::optional<Result>(const std::atomic<bool>& cancelled)>;
  /// Runs the next unit of such work: a training step, a layer of a model, one run of a study. True
  /// after the last one, which leaves the result.
  using NextUnit = std::function<bool(const std::atomic<bool>& cancelled, std::optional<Result>&)>;
  struct Outcome {
    std::optional<Result> result;
    std::string error;  // why there is none
  };

  explicit BackgroundTask(TaskPool* pool = nullptr) : thread_(pool) {}

  /// `wake` is called from the task's thread after each outcome.
  void setWake(std::function<void()> wake) { thread_.setWake(std::move(wake)); }

  /// Work as a single unit.
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

  /// For the work itself, on its thread: what is there already, to be taken before its outcome.
  void tell(Result early, const std::atomic<bool>& cancelled) {
    {
      const std::lock_guard lock(mutex_);
      if (cancelled) return;
      outcome_ = Outcome{std::move(early), {}};
    }
    thread_.wake();
  }

  /// The newest request's, once.
  std::optional<Outcome> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outcome_, std::nullopt);
  }

  /// Nothing is requested any more, what is under way is told to stop, and no outcome comes of it
  /// or of what was done before.
  void stop() {
    thread_.stop();
    const std::lock_guard lock(mutex_);
    outcome_.reset();
  }
  bool busy() const { return thread_.busy(); }

  /// Waits until nothing is requested or running. True where an outcome is there to be taken.
  bool wait() {
    thread_.wait();
    const std::lock_guard lock(mutex_);
    return outcome_.has_value();
  }

 private:
  std::mutex mutex_;
  std::optional<Outcome> outcome_;
  TaskRunner thread_;  // last: gone before what it writes
};

/// Adapts an object with runUnit(), true after its last unit, to a NextUnit. `begin` makes the
/// object, held by a shared_ptr, in the first unit; `result` reads its result, or nothing.
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
