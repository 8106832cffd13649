// Stage moment: what the stage shows at a moment of the timeline: which head and scope, what is
// lit, and what is veiled because it has not been reached. No drawing.
#pragma once

#include <vector>

#include "app/ui/stage/stage_matrix.h"
#include "core/words/moments.h"

namespace headscope::ui {

struct StageMoment {
  Moment moment;
  StageScope scope = StageScope::thisHead;
  Index head = 0;  // whose matrices; while heads are gone through, not the subject's
  Lit lit{};
  std::vector<CellRange> veiled;  // of the result
  Index headsReached = 0;         // in the grid of all heads
};

/// `share` of the moment has gone by, 0 … 1.
StageMoment stageMoment(const Trace& trace, const Subject& subject, const Moment& moment,
                        double share);

}  // namespace headscope::ui
