// Run steps: fills in the results of a pass, step by step. A step whose operands and settings have
// not changed since the previous pass is not run again: its result is shared.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/attention/attention_tensors.h"
#include "core/attention/steps/step_id.h"
#include "core/base/execution.h"

namespace headscope {

/// The outcome of running the steps.
struct StepsDone {
  std::vector<StepRun> steps;  // in order
  std::array<bool, kEveryTensorCount>
      changed{};            // by TensorId: computed, or an operand that is new
  bool overflowed = false;  // some value was not finite
};

/// Runs the steps of the configuration on the operands in `tensors`. Results of `before` (may be
/// null) that are still valid are shared. Returns nothing where `execution` was cancelled. The
/// caller's ScopedThreadLimit limits the threads.
std::optional<StepsDone> runSteps(AttentionTensors& tensors, const AttentionTensors* before,
                                  const ExecutionContext& execution);

/// One loop over the steps that work on rows of single heads: the pieces that it cuts every head
/// into, and which of these steps go through each piece while it is in cache.
struct RowsLoop {
  std::size_t firstStep, steps;
  Index rows, cols;  // of a piece, in scores

  Index down(const AttentionConfig& c) const;
  Index across(const AttentionConfig& c) const;
  Index pieces(const AttentionConfig& c) const;
};
/// Returns one loop, or three where a softmax over the queries needs all rows of the scores first.
std::vector<RowsLoop> rowsLoops(const AttentionConfig& config);
/// Number of recently used row blocks that are cached for scores the pass does not store, and the
/// bytes that one block takes.
Index recentBlocks(const AttentionConfig& config, ScoreStorage held);
Index recentBlockBytes(const AttentionConfig& config, ScoreStorage held);
/// The bytes of the dense copies of keys and values for the products of a pass.
Index denseBytes(const AttentionConfig& config);

}  // namespace headscope
