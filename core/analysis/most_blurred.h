// Most blurred: which two of several relations lose most when one head is to do both.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/analysis/two_in_one.h"

namespace headscope {

/// The pair whose smaller loss is the largest, a loss being what a relation's mean weight on its
/// partners loses at the queries that are to look at two different keys (of these at most
/// kRankedQueries, evenly taken). The first of equals; nothing where cancelled. Two at least.
std::optional<std::array<std::size_t, 2>> mostBlurred(const Trace& trace, Index item,
                                                      const std::vector<HeadRelation>& candidates,
                                                      PairGains gains,
                                                      const Execution& execution = {});

inline constexpr std::size_t kRankedQueries = 128;

}  // namespace headscope
