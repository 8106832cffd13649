// Background task: work the interface must not wait for, on a thread of its own, with a result. The
// newest request wins: an older one's result is never seen.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/task_thread.h"

namespace headscope {

template <typename Result>
class BackgroundTask {
 public:
  /// Asks `cancelled` now and then; null where it stopped for it.
  using Work = std::function<std::optional<Result>(const std::atomic<bool>& cancelled)>;
  struct Outcome {
    std::optional<Result> result;
    std::string error;  // why there is none
  };

  /// `wake` is called from the task's thread after each outcome.
  void setWake(std::function<void()> wake) { thread_.setWake(std::move(wake)); }

  void request(Work work) {
    const std::lock_guard lock(mutex_);
    outcome_.reset();
    thread_.request([this, work = std::move(work)](const std::atomic<bool>& cancelled) {
      Outcome outcome;
      outcome.error = whyNot([&] { outcome.result = work(cancelled); });
      const std::lock_guard done(mutex_);
      if (cancelled) return false;
      outcome_ = std::move(outcome);
      return true;
    });
  }

  /// The newest request's, once.
  std::optional<Outcome> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outcome_, std::nullopt);
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
  TaskThread thread_;  // last: gone before what it writes
};

}  // namespace headscope
