// Head metrics: every metric (metrics.h) of every head of a pass, for one batch item or averaged
// over all.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/metrics.h"
#include "core/execution.h"
#include "core/trace.h"

namespace headscope {

/// Which batch item numbers are of: one, or (none) the mean over all items that define them.
using ItemChoice = std::optional<Index>;

/// One per head; where its weights are no shares of 1 (row_shares.h), the ablation alone. Nothing
/// where cancelled.
std::optional<std::vector<HeadMetrics>> headMetrics(const Trace& trace, ItemChoice item,
                                                    const Execution& execution = {});

/// What mean_distance would be if every row shared its weight evenly among its unmasked keys, in
/// tokens: mean_i Σ_j |i − j| / m_i over the m_i unmasked keys j.
Measured uniformMeanDistance(const Document& document, ItemChoice item);

}  // namespace headscope
