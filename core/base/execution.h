// Execution: the settings by which work runs and by which another thread may watch and stop it, the
// loop over pieces of work, and the clock.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include "core/base/block_store.h"
#include "core/platform/threads.h"

namespace headscope {

struct ExecutionContext {
  int threads = 0;  // the most threads; small work takes fewer; 0: one per core
  const std::atomic<bool>* cancelled = nullptr;  // asked between pieces of work; true stops
  std::atomic<int>* stepsDone = nullptr;         // counts the steps of a running pass
  Index flopsPerThread = kFlopsPerThread;        // the least work of a thread
  BlockStorePtr memory = nullptr;                // of results; null: fresh memory

  bool stop() const { return cancelled != nullptr && cancelled->load(std::memory_order_relaxed); }
};

/// Calls a function for every piece of work, spread over the threads that ScopedThreadLimit allows.
/// Each call is independent of the others, so the result does not depend on the thread count. After
/// cancellation, the remaining calls are not made. Rethrows an exception of a call.
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

/// The milliseconds since a time of this clock.
inline double millisecondsSince(double startSeconds) {
  return (clockSeconds() - startSeconds) * 1000.0;
}

}  // namespace headscope
