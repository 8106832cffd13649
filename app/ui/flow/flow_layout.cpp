#include "app/ui/flow/flow_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/flow/flow_columns.h"
#include "app/ui/flow/flow_lanes.h"
#include "app/ui/flow/flow_picture.h"
#include "core/tensor_id.h"

namespace headscope::ui {
namespace {

// Points at scale 1.
constexpr float kLabelRise = 8;   // from the picture to the labels
constexpr float kBadgeSize = 18;  // a head's number
constexpr float kBadgeGap = 4;    // from its block
constexpr float kBadgePadding = 3;
constexpr float kDigits = 0.85F;  // height of digits, of their line's
constexpr float kNoteRise = 8;    // from W^O to its note
constexpr float kMemoryRise = 3;  // from the memory to its name
constexpr float kMaxHeatmap = 130;
constexpr float kMaxHeatmapShare = 0.085F;  // of the width
// Heights a picture must have left for labels with so many lines of shapes; for names at all.
constexpr float kHeightForTwoLines = 110, kHeightForOneLine = 60, kHeightForNames = 24;

float labelHeight(std::size_t lines, const FlowMetrics& metrics) {
  return metrics.nameHeight +
         static_cast<float>(lines) * (metrics.shapeHeight + kFlowLineGap * metrics.scale);
}

/// Height left for the picture, in points at scale 1.
float heightLeft(float height, std::size_t lines, const FlowMetrics& metrics) {
  return (height - labelHeight(lines, metrics)) / metrics.scale - kLabelRise;
}

std::size_t fittingShapeLines(std::size_t wanted, float height, const FlowMetrics& metrics) {
  if (wanted >= 2 && heightLeft(height, 2, metrics) >= kHeightForTwoLines) return 2;
  return heightLeft(height, 1, metrics) >= kHeightForOneLine ? 1 : 0;
}

/// Every head's number; where lanes are too narrow for it, the chosen one's alone.
void addBadges(FlowLayout& layout, const AttentionConfig& config, Index chosenHead,
               const FlowColumns& columns, const FlowLanes& lanes, float areaHeight,
               const FlowMetrics& metrics) {
  const float gap = kBadgeGap * columns.unit;
  const float left = columns[FlowColumn::heads].right() + gap;
  const float right = columns[FlowColumn::weights].left() - gap;
  const float fitting = std::min(kBadgeSize * metrics.scale, lanes.pitch - metrics.scale);
  const bool tooNarrow = fitting < kDigits * metrics.tinyHeight;
  const float height = tooNarrow ? metrics.tinyHeight : fitting;
  for (const FlowLane& lane : lanes.lanes) {
    if (tooNarrow && lane.head != chosenHead) continue;
    const float text = metrics.tinyWidth(std::to_string(lane.head + 1));
    const float width = std::max(height, text + 2 * kBadgePadding * metrics.scale);
    if (width > right - left || height > areaHeight) continue;
    // With shared keys and values, where those have arrived in the lane.
    const float x = config.headsPerGroup() > 1 ? right - width : left;
    const float y = std::clamp(lane.top + lanes.block + (lanes.blockGap - height) / 2, 0.0F,
                               areaHeight - height);
    layout.badges.push_back({{FlowPart::weights, lane.head}, {x, y, x + width, y + height}});
  }
}

void addHiddenNotes(FlowLayout& layout, const FlowColumns& columns, const FlowLanes& lanes,
                    const FlowMetrics& metrics) {
  if (lanes.pitch < kDigits * metrics.tinyHeight) return;
  const float left = columns[FlowColumn::heads].right();
  const float right = columns[FlowColumn::headOutputs].left();
  for (const FlowHiddenHeads& hidden : lanes.hidden) {
    for (const char* wording : {"+ {} more heads", "+ {}"}) {
      const std::string text = fmt::format(fmt::runtime(wording), hidden.count);
      const float width = metrics.tinyWidth(text);
      if (width > right - left) continue;
      layout.notes.push_back({{FlowPart::hidden, hidden.first},
                              text,
                              true,
                              (left + right) / 2,
                              hidden.top + (lanes.pitch - metrics.tinyHeight) / 2,
                              width});
      break;
    }
  }
}

/// What W^O does, below it, where there is room.
void addOutputNote(FlowLayout& layout, const FlowColumns& columns, float areaHeight, float width,
                   const FlowMetrics& metrics) {
  const FlowBlock* block = layout.block({FlowPart::outputWeights});
  const float x = columns[FlowColumn::outputWeights].center;
  const float half = std::min(x - columns[FlowColumn::concat].right(), width - x);
  const std::vector<std::string> lines = {"one row block per head:",
                                          "each reaches all of the output"};
  float y = block->rect.y1 + kNoteRise * metrics.scale;
  if (y + 2 * metrics.noteHeight > areaHeight) return;
  for (const std::string& line : lines) {
    if (metrics.noteWidth(line) > 2 * half) return;
  }
  Index index = 0;
  for (const std::string& line : lines) {
    layout.notes.push_back(
        {{FlowPart::outputWeights, index++}, line, false, x, y, metrics.noteWidth(line)});
    y += metrics.noteHeight;
  }
}

/// The memory's name above its block, which has no letter.
void addMemoryNote(FlowLayout& layout, const FlowColumns& columns, const FlowMetrics& metrics) {
  const FlowBlock* block = layout.block({FlowPart::memory});
  if (block == nullptr) return;
  const std::string name(info(TensorId::memory).symbol);
  const float width = metrics.noteWidth(name);
  const float x = columns[FlowColumn::input].center;
  const float y = block->rect.y0 - metrics.noteHeight - kMemoryRise * metrics.scale;
  const float half = std::min(x, columns[FlowColumn::projected].left() - x);
  if (width > 2 * half || y < layout.block({FlowPart::input})->rect.y1) return;
  layout.notes.push_back({{FlowPart::memory}, name, false, x, y, width});
}

template <typename Items>
auto* find(const Items& items, FlowId id) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.id == id; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

const FlowBlock* FlowLayout::block(FlowId id) const { return find(blocks, id); }
const FlowRibbon* FlowLayout::ribbon(FlowId id) const { return find(ribbons, id); }

FlowLayout layoutFlow(const AttentionConfig& config, Index chosenHead, float width, float height,
                      const FlowMetrics& metrics) {
  FlowWordings wordings = flowWordings(config);
  const std::size_t lines = fittingShapeLines(shapeLines(wordings), height, metrics);
  const bool named = heightLeft(height, lines, metrics) >= kHeightForNames;
  if (!named) wordings.fill({FlowWording{}});
  const float labelTop = height - labelHeight(lines, metrics);
  const float area = named ? labelTop - kLabelRise * metrics.scale : height;

  const FlowLanes lanes = layOutLanes(config, chosenHead, 0, area, metrics.scale);
  const float heatmap =
      std::min({lanes.heatmapTrack(), kMaxHeatmap * metrics.scale, kMaxHeatmapShare * width});
  FlowColumns columns = layOutColumns(wordings, width, heatmap, lines, metrics);

  FlowLayout layout = layOutPicture(config, columns, lanes, area, metrics.scale);
  addBadges(layout, config, chosenHead, columns, lanes, area, metrics);
  addHiddenNotes(layout, columns, lanes, metrics);
  addOutputNote(layout, columns, area, width, metrics);
  addMemoryNote(layout, columns, metrics);
  layout.labels = std::move(columns.labels);
  for (FlowLabel& label : layout.labels) label.y = labelTop;
  return layout;
}

}  // namespace headscope::ui
