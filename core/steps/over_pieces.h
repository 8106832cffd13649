// overPieces: calls a function for every piece of work, spread over threads.
#pragma once

#include <exception>

#include "core/steps/step.h"

namespace headscope {

/// Each call is independent of the others, so the result does not depend on the thread count. What
/// is left when the work is cancelled is not called.
template <typename Function>
void overPieces(Index pieces, const Execution& execution, Function&& function) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (Index piece = 0; piece < pieces; ++piece) {
    if (execution.stop()) continue;
    try {
      function(piece);
    } catch (...) {
#pragma omp critical(headscope_over_pieces)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace headscope
