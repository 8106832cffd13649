// Execution: how work runs, how another thread may watch and stop it, the loop over its pieces, and
// the clock that says how long it took.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include "core/base/block_store.h"
#include "core/platform/threads.h"

namespace headscope {

struct ExecutionContext {
  int threads = 0;  // at most, where the work is worth them; 0: one per core
  const std::atomic<bool>* cancelled = nullptr;  // asked between pieces of work; true stops
  std::atomic<int>* stepsDone = nullptr;         // counts up as a pass goes on
  Index flopsPerThread = kFlopsPerThread;        // so much work pays for a thread
  BlockStorePtr memory = nullptr;                // of results; null: fresh memory

  bool stop() const { return cancelled != nullptr && cancelled->load(std::memory_order_relaxed); }
};

/// Calls a function for every piece of work, spread over the threads that ScopedThreadLimit allows.
/// Each call is independent of the others, so the result does not depend on the thread count. What
/// is left when the work is cancelled is not called. Throws what a call threw.
template <typename Function>
void parallelFor(Index pieces, const ExecutionContext& execution, Function&& function) {
  struct Work {
    const ExecutionContext& execution;
    Function& function;
    std::mutex mutex = {};
    std::exception_ptr failure = {};
  } work{execution, function};
  parallelForRaw(pieces, {[](void* context, Index piece) {
                            Work& w = *static_cast<Work*>(context);
                            if (w.execution.stop()) return;
                            try {
                              w.function(piece);
                            } catch (...) {
                              const std::lock_guard lock(w.mutex);
                              w.failure = std::current_exception();
                            }
                          },
                          &work});
  if (work.failure) std::rethrow_exception(work.failure);
}

/// Seconds since some moment in the past, of a steady clock.
inline double clockSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Since a time of the same clock.
inline double millisecondsSince(double startSeconds) {
  return (clockSeconds() - startSeconds) * 1000.0;
}

}  // namespace headscope
