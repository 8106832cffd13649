// Head order: which head comes first, and which are held side by side. Pure: no drawing.
#pragma once

#include <string>
#include <vector>

#include "app/ui/view_state.h"
#include "core/analysis/metrics.h"

namespace headscope::ui {

/// By number, or by a metric's key: the largest first, those without a number last. `metrics` may
/// be empty: not measured yet.
std::vector<Index> headOrder(const std::vector<HeadMetrics>& metrics, const std::string& sortBy,
                             Index heads);

/// Takes a head into the comparison, or out of it.
void toggleCompared(std::vector<Index>& compared, Index head);
/// Those of the comparison that there are.
std::vector<Index> comparedHeads(const std::vector<Index>& compared, Index heads);

/// Shows a head's weights on the flow page.
void openHead(ViewState& view, Index head);

}  // namespace headscope::ui
