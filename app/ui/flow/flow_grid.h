// Flow grid: the columns of the dimension flow, with the longest labels that fit beside each other,
// and the lanes of its heads: which heads have one where not all fit.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/ui/flow/flow_layout.h"

namespace headscope::ui {

/// Left to right.
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
  std::vector<FlowLabel> labels;  // y still 0
  float unit = 1;                 // what a point at scale 1 is for widths: smaller in a narrow area

  const Place& operator[](FlowColumn column) const {
    return places[static_cast<std::size_t>(column)];
  }
};

/// A label's wordings from the longest to the shortest, one list per column.
struct FlowWording {
  std::vector<FlowPhrase> name;
  std::vector<std::string> shapes;
};
using FlowWordings = std::array<std::vector<FlowWording>, kFlowColumns>;

FlowWordings flowWordings(const AttentionConfig& config);

/// Lines of shapes the fullest wordings need.
std::size_t shapeLines(const FlowWordings& wordings);

/// `maxShapeLines` 0: names alone.
FlowColumns layOutColumns(const FlowWordings& wordings, float width, float heatmapWidth,
                          std::size_t maxShapeLines, const FlowMetrics& metrics);

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
