// The arithmetic of the `scale` and `mask` steps on part of a row of scores. The steps themselves,
// the softmax sweep and AttentionTensors::tile all call these, so a tile's bits are the pass's
// bits.
#pragma once

#include <span>

#include "core/pins.h"

namespace headscope {

/// Where a part of a row of scores lies: keys firstKey, firstKey + 1, … of one query of one head.
struct RowPart {
  Index item = 0;
  Index head = 0;
  Index query = 0;
  Index firstKey = 0;
};

/// Step `scale`: raw scores to scores (which may be the same memory), one multiply each; pinned
/// ones take their values.
void scaleScores(std::span<const float> raw, std::span<float> scores, const AttentionConfig& config,
                 const Pins& pins, const RowPart& part);

/// Step `mask`, in place: −∞ where a key is not allowed (0 where that mistake is made).
void maskScores(std::span<float> scores, const AttentionConfig& config, const RowPart& part);

}  // namespace headscope
