// overPieces: calls a function for every piece of work, spread over threads.
#pragma once

#include <exception>
#include <mutex>

#include "core/steps/step.h"
#include "core/threads.h"

namespace headscope {

/// Each call is independent of the others, so the result does not depend on the thread count. What
/// is left when the work is cancelled is not called. Throws what a call threw.
template <typename Function>
void overPieces(Index pieces, const Execution& execution, Function&& function) {
  struct Work {
    const Execution& execution;
    Function& function;
    std::mutex mutex = {};
    std::exception_ptr failure = {};
  } work{execution, function};
  forPieces(pieces, {[](void* context, Index piece) {
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

}  // namespace headscope
