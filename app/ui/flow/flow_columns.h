// Flow columns: the horizontal places of the dimension flow's columns, with the longest labels that
// fit beside each other.
#pragma once

#include <array>
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

}  // namespace headscope::ui
