#include "app/ui/flow/flow_columns.h"

#include <algorithm>
#include <numeric>

namespace headscope::ui {
namespace {

using Widths = std::array<float, kFlowColumns>;
using Distances = std::array<float, kFlowColumns - 1>;  // from one column's centre to the next's

// Points at scale 1. The heatmaps' column is as wide as the heatmaps.
constexpr Widths kBlockWidths = {24, 30, 14, 0, 14, 24, 78, 24};
// How the width is shared out where labels leave the choice.
constexpr Distances kShares = {1.15F, 1.3F, 1.1F, 1.0F, 1.1F, 1.15F, 1.3F};
constexpr float kMargin = 10;  // left and right of everything
// Shortest ribbons; a head's number takes room between q and the weights.
constexpr Distances kMinRibbons = {14, 18, 36, 14, 14, 10, 18};
constexpr float kLabelGap = 14;     // between two labels
constexpr float kFullWidth = 900;   // from here on blocks have their width at scale 1 …
constexpr float kMaxGrowth = 1.5F;  // … and grow with the area up to this

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : " · ") + line;
  return text;
}

FlowLabel makeLabel(const FlowWording& wording, std::size_t maxShapeLines,
                    const FlowMetrics& metrics) {
  FlowLabel label;
  label.name = wording.name;
  if (wording.shapes.size() <= maxShapeLines) {
    label.shapes = wording.shapes;
  } else if (maxShapeLines > 0) {
    label.shapes = {joined(wording.shapes)};
  }
  float nameWidth = 0;
  for (const FlowPhrase& phrase : label.name) nameWidth += metrics.nameWidth(phrase.text);
  label.width = nameWidth;
  for (const std::string& shape : label.shapes) {
    label.width = std::max(label.width, metrics.shapeWidth(shape));
  }
  return label;
}

/// The part a column's label belongs to: tooltip, colour and click are its.
constexpr std::array<FlowPart, kFlowColumns> kLabelParts = {
    FlowPart::input,      FlowPart::query,  FlowPart::headQuery,     FlowPart::weights,
    FlowPart::headOutput, FlowPart::concat, FlowPart::outputWeights, FlowPart::output};

/// Smallest distances at which neither blocks nor labels touch.
Distances minDistances(const Widths& blocks, const std::array<FlowLabel, kFlowColumns>& labels,
                       float unit, float labelGap) {
  Distances distances{};
  for (std::size_t i = 0; i + 1 < kFlowColumns; ++i) {
    const bool bothNamed = labels[i].width > 0 && labels[i + 1].width > 0;
    distances[i] =
        std::max((blocks[i] + blocks[i + 1]) / 2 + kMinRibbons[i] * unit,
                 (labels[i].width + labels[i + 1].width) / 2 + (bothNamed ? labelGap : 0));
  }
  return distances;
}

float sum(const Distances& distances) {
  return std::accumulate(distances.begin(), distances.end(), 0.0F);
}

/// max(λ · share, minimum) with the λ that fills `room`; scaled down where minima exceed it.
Distances shareOut(const Distances& minima, float room) {
  const auto at = [&](float lambda) {
    Distances distances = minima;
    for (std::size_t i = 0; i < distances.size(); ++i) {
      distances[i] = std::max(distances[i], lambda * kShares[i]);
    }
    return distances;
  };
  float low = 0, high = std::max(room, 1.0F);
  for (int i = 0; i < 30; ++i) {
    const float middle = (low + high) / 2;
    (sum(at(middle)) > room ? high : low) = middle;
  }
  Distances distances = at(low);
  const float total = sum(distances);
  if (total > room && total > 0) {
    for (float& distance : distances) distance *= std::max(room, 0.0F) / total;
  }
  return distances;
}

}  // namespace

FlowColumns layOutColumns(const FlowWordings& wordings, float width, float heatmapWidth,
                          std::size_t maxShapeLines, const FlowMetrics& metrics) {
  FlowColumns columns;
  const float scale = metrics.scale;
  columns.unit = scale * std::min(width / (kFullWidth * scale), kMaxGrowth);
  Widths blocks = kBlockWidths;
  for (float& block : blocks) block *= columns.unit;
  blocks[static_cast<std::size_t>(FlowColumn::weights)] = heatmapWidth;

  std::array<std::size_t, kFlowColumns> chosen{};  // wording of each column
  std::array<FlowLabel, kFlowColumns> labels;
  const auto word = [&](std::size_t i) {
    labels[i] = makeLabel(wordings[i][chosen[i]], maxShapeLines, metrics);
  };
  for (std::size_t i = 0; i < kFlowColumns; ++i) word(i);

  Distances minima{};
  float left = 0, room = 0;
  while (true) {
    left = kMargin * columns.unit + std::max(blocks.front(), labels.front().width) / 2;
    const float right = kMargin * columns.unit + std::max(blocks.back(), labels.back().width) / 2;
    room = width - left - right;
    minima = minDistances(blocks, labels, columns.unit, kLabelGap * scale);
    if (sum(minima) <= room) break;
    // Too wide: the widest label that can still be shortened is.
    std::size_t widest = kFlowColumns;
    for (std::size_t i = 0; i < kFlowColumns; ++i) {
      if (chosen[i] + 1 == wordings[i].size()) continue;
      if (widest == kFlowColumns || labels[i].width > labels[widest].width) widest = i;
    }
    if (widest == kFlowColumns) break;
    ++chosen[widest];
    word(widest);
  }

  const Distances distances = shareOut(minima, room);
  float center = left, taken = 0;
  for (std::size_t i = 0; i < kFlowColumns; ++i) {
    columns.places[i] = {center, blocks[i]};
    // Where not even the shortest wordings fit, a label is left out.
    const float half = labels[i].width / 2;
    if (!labels[i].name.empty() && center - half >= taken && center + half <= width) {
      taken = center + half + kLabelGap / 2 * scale;
      labels[i].id = {kLabelParts[i], -1};
      labels[i].x = center;
      columns.labels.push_back(std::move(labels[i]));
    }
    if (i + 1 < kFlowColumns) center += distances[i];
  }
  return columns;
}

}  // namespace headscope::ui
