// Attention: runs the steps of a pass in order and keeps every result. A step whose operands and
// settings are what they were in the pass before is not run again: its result is shared.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/execution.h"
#include "core/trace.h"

namespace headscope {

/// What running the steps did.
struct StepsDone {
  std::vector<StepRun> steps;  // in order
  std::array<bool, kEveryTensorCount>
      changed{};            // by TensorId: computed, or an operand that is new
  bool overflowed = false;  // some value was not finite
};

/// Runs the steps of the configuration on the operands in `tensors`. What of `before` (may be null)
/// still holds is taken from there. Nothing where `execution` was cancelled. The number of threads
/// is the caller's ThreadCount.
std::optional<StepsDone> runSteps(AttentionTensors& tensors, const AttentionTensors* before,
                                  const Execution& execution);

/// One pass. `previous` may be null. Null where `execution` was cancelled. Throws UserError where a
/// result is not finite (scores overflow float32), naming it.
TracePtr runAttention(const DocumentPtr& document, const TracePtr& previous = nullptr,
                      const Execution& execution = {});

/// The same for one of several layers that share a store of memory: how much of it may lie free is
/// the caller's to say; runAttention says as much as one pass needs.
TracePtr runLayerAttention(const DocumentPtr& document, const TracePtr& previous,
                           const Execution& execution);

/// A pass that can be left off and gone on with: without a thread for it, frames are drawn
/// meanwhile. The arguments are runLayerAttention's.
class AttentionPass {
 public:
  AttentionPass(const DocumentPtr& document, const TracePtr& previous, const Execution& execution);
  ~AttentionPass();
  AttentionPass(const AttentionPass&) = delete;
  AttentionPass& operator=(const AttentionPass&) = delete;

  /// Works on for so long, and the piece of work under way then; on one thread where that is not
  /// for ever. True where it has ended. Throws as runAttention does.
  bool goOn(double seconds = std::numeric_limits<double>::infinity());
  /// Once it has ended: null where it was cancelled.
  TracePtr trace() const;

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

/// How much of a store may lie free between passes of this document: what one of them needs.
void keepForPasses(BlockStore& memory, const Document& document);

/// One loop over the steps that work on rows of single heads: the pieces that it cuts every head
/// into, and which of these steps go through each piece while it is in cache.
struct RowsLoop {
  std::size_t firstStep, steps;
  Index rows, cols;  // of a piece, in scores

  Index down(const AttentionConfig& c) const { return (c.seqLen + rows - 1) / rows; }
  Index across(const AttentionConfig& c) const { return (c.keys() + cols - 1) / cols; }
  Index pieces(const AttentionConfig& c) const {
    return c.batch * c.numHeads * down(c) * across(c);
  }
};
/// One loop; or three, where a softmax down the columns needs all rows of the scores first.
std::vector<RowsLoop> rowsLoops(const AttentionConfig& config);
/// How many blocks of so many rows are kept of those that were asked for last, of the scores that a
/// pass does not hold; and how many bytes one takes.
Index recentBlocks(const AttentionConfig& config, ScoresHeld held);
Index recentBlockBytes(const AttentionConfig& config, ScoresHeld held);

}  // namespace headscope
