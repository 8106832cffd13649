// Task thread: a thread that does one thing at a time. The newest request wins: one that waits is
// dropped, one under way is told to stop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "core/error.h"

namespace headscope {

class TaskThread {
 public:
  /// Asks `cancelled` now and then. Whether there is news, for which to wake.
  using Task = std::function<bool(const std::atomic<bool>& cancelled)>;

  TaskThread() = default;
  /// Cancels what is under way and joins.
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  /// `wake` is called from the thread.
  void setWake(std::function<void()> wake);
  void request(Task task);
  bool busy() const;
  /// Waits until nothing is requested or running, at most `seconds` (negative: as long as it
  /// takes).
  void wait(double seconds = -1.0);

 private:
  void wake();
  bool idle() const { return !requested_ && !running_; }
  void loop();

  std::mutex wakeMutex_;  // held while waking: whoever clears the wake call waits for it to return
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Task requested_;
  bool running_ = false;
  bool stopping_ = false;
  std::atomic<bool> cancelled_{false};
  std::thread thread_;  // started by the first request
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

}  // namespace headscope
