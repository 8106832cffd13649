// DesignedShown: what the designed heads of the pass on the screen are, found once per pass.
#pragma once

#include <memory>
#include <vector>

#include "core/trace.h"
#include "core/weights/designed_heads.h"

namespace headscope {

class DesignedShown {
 public:
  /// One per head; empty where the pass has no designed weights.
  const std::vector<DesignedHead>* of(const TracePtr& trace) {
    if (of_.lock() != trace) {
      heads_ = designedHeads(trace->document());
      of_ = trace;
    }
    return &heads_;
  }

 private:
  std::weak_ptr<const Trace> of_;
  std::vector<DesignedHead> heads_;
};

}  // namespace headscope
