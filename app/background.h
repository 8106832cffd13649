// Background task: a thread for work the interface must not wait for. The newest request wins: one
// that waits is dropped, one under way is told to stop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

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

  BackgroundTask() = default;
  /// Cancels what is under way and joins.
  ~BackgroundTask() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      cancelled_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  /// `wake` is called from the task's thread after each outcome.
  void setWake(std::function<void()> wake) {
    const std::lock_guard lock(wakeMutex_);
    wake_ = std::move(wake);
  }

  void request(Work work) {
    {
      const std::lock_guard lock(mutex_);
      requested_ = std::move(work);
      outcome_.reset();
      cancelled_ = true;
      if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
    }
    changed_.notify_all();
  }

  /// The newest request's, once.
  std::optional<Outcome> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outcome_, std::nullopt);
  }

  bool busy() const {
    const std::lock_guard lock(mutex_);
    return !idle();
  }

  /// Waits until nothing is requested or running.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return idle(); });
  }

 private:
  bool idle() const { return !requested_ && !running_; }

  Outcome run(const Work& work) const {
    try {
      return {work(cancelled_), {}};
    } catch (const std::bad_alloc&) {
      return {std::nullopt, "there is not enough memory for this size"};
    } catch (const std::exception& error) {
      return {std::nullopt, error.what()};
    }
  }

  void loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stopping_ || requested_; });
      if (stopping_) return;
      const Work work = std::exchange(requested_, nullptr);
      running_ = true;
      cancelled_ = false;
      lock.unlock();
      Outcome outcome = run(work);
      lock.lock();
      running_ = false;
      const bool news = !cancelled_;
      if (news) outcome_ = std::move(outcome);
      lock.unlock();
      changed_.notify_all();
      if (news) {
        const std::lock_guard waking(wakeMutex_);
        if (wake_) wake_();
      }
      lock.lock();
    }
  }

  std::mutex wakeMutex_;  // held while waking: whoever clears the wake call waits for it to return
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Work requested_;
  bool running_ = false;
  bool stopping_ = false;
  std::optional<Outcome> outcome_;
  std::atomic<bool> cancelled_{false};
  std::thread thread_;  // started by the first request
};

}  // namespace headscope
