// Worker: the engine's thread. The newest document wins: a request drops the one before, and a pass
// under way is cancelled.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "app/background.h"
#include "core/base/block_store.h"
#include "core/document/attention.h"
#include "core/document/trace.h"

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
    int stepsDone = 0;     // of those the configuration has
  };

  /// `wake` is called from the worker's thread after each update. `threads` 0: one per core. Memory
  /// that is kept for the next pass goes back to the system when none was requested for so many
  /// seconds.
  explicit Worker(int threads, std::function<void()> wake = {}, double restAfter = 10.0);

  void setWake(std::function<void()> wake) { thread_.setWake(std::move(wake)); }
  void request(DocumentPtr document);
  /// No pass is requested any more, and the one under way ends.
  void stop() { thread_.stop(); }
  /// What has finished since the last call.
  std::optional<Update> take();
  Progress progress() const;
  /// Memory that is kept for the next pass, in bytes.
  Index keptBytes() const { return memory_->freeBytes(); }
  /// Waits until nothing is requested or running, at most `seconds` (negative: as long as it
  /// takes).
  void wait(double seconds = -1.0) { thread_.wait(seconds); }

 private:
  /// Runs a whole pass and leaves its update.
  TaskRunner::After run(const DocumentPtr& document, const std::atomic<bool>& cancelled);

  int threads_;
  BlockStorePtr memory_ = std::make_shared<BlockStore>();  // of the results
  bool prepared_ = false;                                  // this and the next: the thread's own
  TracePtr last_;
  std::mutex mutex_;
  std::optional<Update> update_;        // stays until it is taken or there is a newer one
  std::atomic<double> startedAt_{0.0};  // 0: no pass is under way
  std::atomic<int> stepsDone_{0};
  TaskRunner thread_;  // last: gone before what it writes
};

}  // namespace headscope
