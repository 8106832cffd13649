// Flow grid: the columns of the dimension flow, with the longest labels that fit side by side, and
// the lanes of its heads. Where not all heads fit, some have no lane.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/ui/flow/flow_layout.h"

namespace headscope::ui {

/// The columns from left to right.
enum class FlowColumn {
  input,
  projected,
  heads,
  weights,
  headOutputs,
  concat,
  outputWeights,
  output
};
inline constexpr std::size_t kFlowColumns = 8;

struct FlowColumns {
  struct Place {
    float center = 0;
    float width = 0;
    float left() const { return center - width / 2; }
    float right() const { return center + width / 2; }
  };
  std::array<Place, kFlowColumns> places;
  std::vector<FlowLabel> labels;  // y is not set yet: 0
  float unit = 1;                 // points across per point at scale 1; fewer in a narrow area

  const Place& operator[](FlowColumn column) const {
    return places[static_cast<std::size_t>(column)];
  }
};

/// The wordings of a label from the longest to the shortest, one list per column.
struct FlowWording {
  std::vector<FlowPhrase> name;
  std::vector<std::string> shapes;
};
using FlowWordings = std::array<std::vector<FlowWording>, kFlowColumns>;

FlowWordings flowWordings(const AttentionConfig& config);

/// The number of lines of shapes in the fullest wordings.
std::size_t shapeLines(const FlowWordings& wordings);

/// Lays out the columns. With `maxShapeLines` 0, labels have names only.
FlowColumns layOutColumns(const FlowWordings& wordings, float width, float heatmapWidth,
                          std::size_t maxShapeLines, const FlowMetrics& metrics);

/// The lane of one head: from its top down q, k and v, each `FlowLanes::block` high.
struct FlowLane {
  Index head = 0;
  float top = 0;
};

/// One row in place of the heads [first, first + count).
struct FlowHiddenHeads {
  Index first = 0;
  Index count = 0;
  float top = 0;
};

struct FlowLanes {
  std::vector<FlowLane> lanes;
  std::vector<FlowHiddenHeads> hidden;
  float pitch = 0;     // the distance from one row to the next
  float block = 0;     // height of d_k features
  float blockGap = 0;  // the gap between q, k and v

  float laneHeight() const { return 3 * block + 2 * blockGap; }
  /// The height of a heatmap above its lane, which takes some of the gap to the lane before; the
  /// rest of the heatmap covers q and k.
  float heatmapRise() const { return 0.4F * (pitch - laneHeight()); }
  float heatmapTrack() const { return heatmapRise() + 2 * block + blockGap; }
  bool showsAll() const { return hidden.empty(); }
};

/// Returns the heads that are shown, ascending, in at most `rows` rows; each run of hidden heads
/// takes one row. The chosen head has priority, then the first and the last heads. A run of one
/// head is never hidden.
std::vector<Index> shownHeads(Index heads, Index chosen, Index rows);

FlowLanes layOutLanes(const AttentionConfig& config, Index chosen, float top, float height,
                      float scale);

}  // namespace headscope::ui
