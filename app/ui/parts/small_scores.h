// Small scores: reduced pictures of scores that a pass does not hold. They are computed in the
// background, head by head, and each head is shown as soon as it is ready.
#pragma once

#include <memory>

#include "app/ui/parts/computed.h"
#include "app/ui/parts/fingerprint.h"
#include "core/base/index.h"
#include "core/document/fwd.h"

namespace headscope {
struct SmallScores;
}  // namespace headscope

namespace headscope::ui {

class BackgroundSmallScores {
 public:
  /// Returns the pass with the pictures of a batch item that are ready so far. Requests the picture
  /// of `head`, then of the other heads. A pass that holds its scores is returned unchanged.
  TracePtr shown(const TracePtr& pass, Index item, Index head, Computations& computations);

 private:
  TracePtr pass_, shown_;
  Fingerprint values_;  // the values that the pictures show
  std::shared_ptr<const SmallScores> small_;
};

}  // namespace headscope::ui
