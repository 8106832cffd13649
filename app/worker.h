// Worker: the engine's thread. The newest document wins: a request drops the one before, and a pass
// under way is cancelled.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/attention.h"

namespace headscope {

class Worker {
 public:
  struct Update {
    TracePtr trace;        // null where the pass was refused
    std::string error;     // why
    DocumentPtr document;  // what was refused
  };
  struct Progress {
    bool busy = false;
    double seconds = 0.0;  // since the pass began
    int stepsDone = 0;     // of the nine
  };

  /// `wake` is called from the worker's thread after each update. `threads` 0: one per core.
  explicit Worker(int threads, std::function<void()> wake = {});
  /// Cancels what is under way and joins.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void setWake(std::function<void()> wake);
  void request(DocumentPtr document);
  /// What has finished since the last call.
  std::optional<Update> take();
  Progress progress() const;
  /// Waits until nothing is requested or running, at most `seconds` (negative: as long as it
  /// takes).
  void wait(double seconds = -1.0);

 private:
  void loop(int threads);
  bool idle() const { return !requested_ && !running_; }

  std::mutex wakeMutex_;  // held while waking: whoever clears the wake call waits for it to return
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  DocumentPtr requested_;
  bool running_ = false;
  bool stopping_ = false;
  std::optional<Update> update_;
  double startedAt_ = 0.0;
  std::atomic<bool> cancelled_{false};
  std::atomic<int> stepsDone_{0};
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace headscope
