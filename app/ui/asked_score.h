// Asked score: the score of Flow's layer that is asked about: that of the chosen cell, or of the
// strongest link of the row that Flow shows.
#pragma once

#include "core/base/index.h"

namespace headscope::ui {

struct PanelContext;

struct ScoreInFlow {
  Index item = 0, head = 0, query = 0, key = 0;
};
ScoreInFlow scoreInFlow(const PanelContext& panel);

}  // namespace headscope::ui
