// Small scores: pictures of scores that a pass does not hold. They are computed again beside the
// frames, head by head, and each head's are shown as soon as they are there.
#pragma once

#include <memory>

#include "app/ui/parts/computed.h"
#include "app/ui/parts/fingerprint.h"
#include "core/document/trace.h"

namespace headscope::ui {

class SmallScoresBeside {
 public:
  /// The pass with the pictures of a batch item that are there so far; asks for those of `head`,
  /// then of the other heads. A pass that holds its scores as it is.
  TracePtr shown(const TracePtr& pass, Index item, Index head, Computations& computations);

 private:
  TracePtr pass_, shown_;
  Fingerprint values_;  // that the pictures are of
  std::shared_ptr<const SmallScores> small_;
};

}  // namespace headscope::ui
