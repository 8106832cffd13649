// Attention: a pass over a document, every result kept.
#pragma once

#include <limits>
#include <memory>

#include "core/execution.h"
#include "core/run_steps.h"
#include "core/trace.h"

namespace headscope {

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

}  // namespace headscope
