// Worker: computes the pass of a document in the background. A new request replaces the one that
// waits and cancels the pass under way.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "app/scheduler.h"
#include "core/base/block_store.h"
#include "core/document/attention.h"
#include "core/document/fwd.h"

namespace headscope {

class Worker {
 public:
  struct Update {
    TracePtr trace;        // null: the pass was refused
    std::string error;     // why the pass was refused
    DocumentPtr document;  // the refused document
  };
  struct Progress {
    bool busy = false;
    double seconds = 0.0;      // the time since the pass began
    int stepsDone = 0;         // the number of finished steps of the configuration
    bool holdsFrames = false;  // a long pass without threads: no frame is drawn until it ends
  };

  /// `threads` 0: one per core. Memory kept for the next pass is released `releaseAfter` seconds
  /// after a pass.
  Worker(Scheduler& scheduler, Priority priority, int threads, double releaseAfter = 10.0)
      : threads_(threads),
        releaseAfter_(releaseAfter),
        release_(scheduler),
        runner_(scheduler, priority) {}

  /// Sets `wake`, which another thread calls after each update.
  void setWake(std::function<void()> wake) { runner_.setWake(std::move(wake)); }
  void request(DocumentPtr document);
  /// Drops the requested pass and cancels the running one.
  void stop() { runner_.stop(); }
  /// Returns the update since the last call, if any.
  std::optional<Update> take();
  Progress progress() const;
  /// The memory kept for the next pass, in bytes.
  Index keptBytes() const { return memory_->freeBytes(); }
  /// Waits until nothing is requested or running, at most `seconds` (negative: as long as it
  /// takes).
  void wait(double seconds = -1.0) { runner_.wait(seconds); }

 private:
  /// Runs a whole pass and stores its update.
  TaskRunner::After run(const DocumentPtr& document, const std::atomic<bool>& cancelled);

  int threads_;
  double releaseAfter_;
  bool holdsFrames_ = false;                               // whether the requested pass does
  BlockStorePtr memory_ = std::make_shared<BlockStore>();  // memory of the results
  bool prepared_ = false;  // passes alone use this member and the next
  TracePtr last_;
  std::mutex mutex_;
  std::optional<Update> update_;        // kept until it is taken or a newer one replaces it
  std::atomic<double> startedAt_{0.0};  // 0: no pass is under way
  std::atomic<int> stepsDone_{0};
  TaskRunner release_;  // releases the memory kept for the next pass
  TaskRunner runner_;   // last: destroyed before the members that it writes
};

}  // namespace headscope
