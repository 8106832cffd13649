// overHeads: calls a function for every (batch item, head), spread over threads.
#pragma once

#include <exception>

#include "core/steps/step.h"

namespace headscope {

/// Each call is independent of the others, so the result does not depend on the thread count. What
/// is left when the pass is cancelled is not called.
template <typename Function>
void overHeads(const AttentionConfig& config, const Execution& execution, Function&& function) {
  const Index pieces = config.batch * config.numHeads;
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (Index piece = 0; piece < pieces; ++piece) {
    if (execution.stop()) continue;
    try {
      function(piece / config.numHeads, piece % config.numHeads);
    } catch (...) {
#pragma omp critical(headscope_over_heads)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace headscope
