// Row shares: whether a head's weights are shares of 1 row by row, none below 0, as all that is
// measured of them takes for granted. The softmax of a row gives such; dropout, pinned weights and
// a softmax over queries need not leave them.
#pragma once

#include <string>

#include "core/analysis/counted_rows.h"
#include "core/trace.h"

namespace headscope {

/// Why they are not in one of the rows, in words: "a row's weights do not sum to 1 (dropout)";
/// empty where they are in all.
std::string whyNoShares(const Trace& trace, Index item, Index head, const CountedRows& rows);

}  // namespace headscope
