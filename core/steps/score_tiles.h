// The arithmetic of the `scale` and `mask` steps on part of a row of scores. The steps themselves,
// the softmax sweep and Trace::tile all call these, so a tile's bits are the pass's bits.
#pragma once

#include <span>

#include "core/config.h"

namespace headscope {

/// Step `scale`, in place: raw scores to scores, one multiply each.
void scaleScores(std::span<float> scores, const AttentionConfig& config);

/// Step `mask`, in place: −∞ where a key is not allowed. `scores` are those of keys
/// firstKey, firstKey + 1, … for one query of one batch item.
void maskScores(std::span<float> scores, const AttentionConfig& config, Index item, Index query,
                Index firstKey);

}  // namespace headscope
