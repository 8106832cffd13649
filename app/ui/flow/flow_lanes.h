// Flow lanes: the rows of the dimension flow's heads, and which heads have one where not all fit.
#pragma once

#include <vector>

#include "core/config.h"

namespace headscope::ui {

/// One head's lane. From the top: q, k, v, each `FlowLanes::block` high.
struct FlowLane {
  Index head = 0;
  float top = 0;
};

/// A row that stands for heads [first, first + count).
struct FlowHiddenHeads {
  Index first = 0;
  Index count = 0;
  float top = 0;
};

struct FlowLanes {
  std::vector<FlowLane> lanes;
  std::vector<FlowHiddenHeads> hidden;
  float pitch = 0;     // from one row to the next
  float block = 0;     // height of d_k features
  float blockGap = 0;  // between q, k and v

  float laneHeight() const { return 3 * block + 2 * blockGap; }
  /// A heatmap covers q and k and, above them, some of the room to the lane before.
  float heatmapRise() const { return 0.4F * (pitch - laneHeight()); }
  float heatmapTrack() const { return heatmapRise() + 2 * block + blockGap; }
  bool showsAll() const { return hidden.empty(); }
};

/// At most `rows` rows, a row for each run of hidden heads included: the chosen head first, then
/// the first ones and the last ones. Ascending; a run of one head is never hidden.
std::vector<Index> shownHeads(Index heads, Index chosen, Index rows);

FlowLanes layOutLanes(const AttentionConfig& config, Index chosen, float top, float height,
                      float scale);

}  // namespace headscope::ui
