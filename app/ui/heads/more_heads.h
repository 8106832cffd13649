// More heads: the same input and d_model with 1 to 64 heads: how many of them differ, and what they
// cost.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/background.h"
#include "app/ui/panel.h"
#include "core/analysis/head_count.h"

namespace headscope::ui {

struct MoreHeadsMemory {
  BackgroundTask<HeadCountPoint> task;
  DocumentPtr document;                // which they are measured for
  std::vector<Index> counts;           // to be measured
  std::vector<HeadCountPoint> points;  // those that are, in this order
  Index chosen = 0;                    // a number of heads; 0: the document's
  std::string error;
};

/// Fills what is left of the current card; measures while it is shown.
void moreHeadsTab(const Panel& panel, MoreHeadsMemory& memory);

}  // namespace headscope::ui
