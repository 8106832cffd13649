#include "app/ui/flow/flow_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/ui/flow/flow_grid.h"
#include "core/attention/config.h"
#include "core/attention/tensor_id.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

// Blocks and ribbons.

constexpr float kShareOfHeight = 0.28F;  // the height of D features, per height of the area
constexpr float kStripe = 5;             // the stripes at the right edge of Q, K and V
constexpr float kMaxAspect = 2;          // the largest T : M at which a heatmap is drawn to scale

/// Returns the part [begin, end) of `count` equal parts of a block's height, as an edge at x.
FlowEdge partOfEdge(const Rect& rect, float x, Index begin, Index end, Index count) {
  const float height = rect.height();
  const auto at = [&](Index i) {
    return rect.a.y + height * static_cast<float>(i) / static_cast<float>(count);
  };
  return {x, at(begin), at(end)};
}
FlowEdge leftOf(const Rect& rect) { return {rect.a.x, rect.a.y, rect.b.y}; }
FlowEdge rightOf(const Rect& rect) { return {rect.b.x, rect.a.y, rect.b.y}; }

class FlowPicture {
 public:
  FlowPicture(const AttentionConfig& config, const FlowColumns& columns, const FlowLanes& lanes,
              float height, float scale)
      : config_(config), columns_(columns), lanes_(lanes), height_(height), scale_(scale) {
    const auto perHead = static_cast<float>(config.dK());
    const auto width = static_cast<float>(std::max(config.dModel, config.queryWidth()));
    layout_.headFeatureHeight = lanes.block / perHead;
    // Q, K and V one above the other must fit, and so must X above the memory.
    float feature = kShareOfHeight * height_ / width;
    if (lanes.showsAll()) feature = std::min(feature, layout_.headFeatureHeight);
    if (config.crossAttention()) {
      feature = std::min(feature, 0.85F * height_ / (width + static_cast<float>(config.kvWidth())));
    }
    layout_.featureHeight = feature;
    layout_.stripeWidth = kStripe * columns.unit;
  }

  FlowLayout build() {
    addInputs();
    addProjections();
    addRightHand();
    addHeads();
    for (const FlowHiddenHeads& hidden : lanes_.hidden) addHidden(hidden);
    return std::move(layout_);
  }

 private:
  float heightOf(Index features) const {
    const float thinnest = std::min(kMinBlock * scale_, height_ / 8);
    return std::max(layout_.featureHeight * static_cast<float>(features), thinnest);
  }
  Rect addBlock(FlowId id, FlowColumn column, float top, float height) {
    const FlowColumns::Place& place = columns_[column];
    const Rect rect{{place.left(), top}, {place.right(), top + height}};
    layout_.blocks.push_back({id, rect});
    return rect;
  }
  Rect addCentred(FlowId id, FlowColumn column, float height) {
    return addBlock(id, column, (height_ - height) / 2, height);
  }
  void connect(FlowId id, const FlowEdge& from, const FlowEdge& to) {
    layout_.ribbons.push_back({id, from, to});
  }

  void addInputs() {
    const float x = heightOf(config_.dModel);
    if (!config_.crossAttention()) {
      input_ = memory_ = addCentred({FlowPart::input}, FlowColumn::input, x);
      return;
    }
    const float memory = heightOf(config_.kvWidth());
    const float gap = (height_ - x - memory) / 3;
    input_ = addBlock({FlowPart::input}, FlowColumn::input, gap, x);
    memory_ = addBlock({FlowPart::memory}, FlowColumn::input, 2 * gap + x, memory);
  }

  void addProjections() {
    const float q = heightOf(config_.queryWidth()), k = heightOf(config_.dKv());
    const float gap = std::max((height_ - q - 2 * k) / 3, 0.0F);
    query_ = addBlock({FlowPart::query}, FlowColumn::projected, gap / 2, q);
    key_ = addBlock({FlowPart::key}, FlowColumn::projected, query_.b.y + gap, k);
    value_ = addBlock({FlowPart::value}, FlowColumn::projected, key_.b.y + gap, k);
    connect({FlowPart::inputQuery}, rightOf(input_), leftOf(query_));
    connect({FlowPart::inputKey}, rightOf(memory_), leftOf(key_));
    connect({FlowPart::inputValue}, rightOf(memory_), leftOf(value_));
  }

  void addRightHand() {
    const float height = heightOf(config_.queryWidth());
    concat_ = addCentred({FlowPart::concat}, FlowColumn::concat, height);
    outputWeights_ = addCentred({FlowPart::outputWeights}, FlowColumn::outputWeights, height);
    output_ = addCentred({FlowPart::output}, FlowColumn::output, heightOf(config_.dModel));
  }

  Rect addQuery(const FlowLane& lane) {
    const Rect block =
        addBlock({FlowPart::headQuery, lane.head}, FlowColumn::heads, lane.top, lanes_.block);
    connect({FlowPart::splitQuery, lane.head},
            partOfEdge(query_, query_.b.x, lane.head, lane.head + 1, config_.numHeads),
            leftOf(block));
    return block;
  }

  /// Adds k (slot 1) or v (slot 2) of a key/value head.
  Rect addKeyOrValue(Index kv, FlowPart head, FlowPart split, const Rect& from, int slot,
                     const FlowLane& home) {
    const float top = home.top + static_cast<float>(slot) * (lanes_.block + lanes_.blockGap);
    const Rect block = addBlock({head, kv}, FlowColumn::heads, top, lanes_.block);
    connect({split, kv}, partOfEdge(from, from.b.x, kv, kv + 1, config_.numKvHeads), leftOf(block));
    return block;
  }

  /// A key/value head lies in the lane in the middle of the heads it serves.
  void addHeads() {
    const auto& lanes = lanes_.lanes;
    for (std::size_t begin = 0, end = 0; begin < lanes.size(); begin = end) {
      const Index kv = config_.kvHead(lanes[begin].head);
      while (end < lanes.size() && config_.kvHead(lanes[end].head) == kv) ++end;
      const FlowLane& home = lanes[begin + (end - begin - 1) / 2];
      const Rect key = addKeyOrValue(kv, FlowPart::headKey, FlowPart::splitKey, key_, 1, home);
      const Rect value =
          addKeyOrValue(kv, FlowPart::headValue, FlowPart::splitValue, value_, 2, home);
      for (std::size_t i = begin; i < end; ++i) addHead(lanes[i], key, value);
    }
  }

  /// The place of a heatmap over q and k of its lane, with T rows and M columns in proportion.
  Rect heatmapRect(const FlowLane& lane) const {
    const float side = std::min(lanes_.heatmapTrack(), columns_[FlowColumn::weights].width);
    const float aspect =
        std::clamp(static_cast<float>(config_.keys()) / static_cast<float>(config_.seqLen),
                   1 / kMaxAspect, kMaxAspect);
    const float w = side * std::min(aspect, 1.0F), h = side * std::min(1 / aspect, 1.0F);
    const float x = columns_[FlowColumn::weights].center;
    const float y = lane.top - lanes_.heatmapRise() + lanes_.heatmapTrack() / 2;
    return {{x - w / 2, y - h / 2}, {x + w / 2, y + h / 2}};
  }

  void addHead(const FlowLane& lane, const Rect& key, const Rect& value) {
    const Index head = lane.head;
    const Rect query = addQuery(lane);
    const Rect heat = heatmapRect(lane);
    layout_.blocks.push_back({{FlowPart::weights, head}, heat});
    connect({FlowPart::scoreQuery, head}, rightOf(query), partOfEdge(heat, heat.a.x, 0, 1, 2));
    connect({FlowPart::scoreKey, head}, rightOf(key), partOfEdge(heat, heat.a.x, 1, 2, 2));

    const Rect out = addBlock({FlowPart::headOutput, head}, FlowColumn::headOutputs,
                              lane.top + lanes_.block + lanes_.blockGap, lanes_.block);
    const auto& column = columns_[FlowColumn::weights];
    const float track = lane.top + 2 * (lanes_.block + lanes_.blockGap);
    const FlowEdge before = {column.left(), track, track + lanes_.block};
    const FlowEdge after = {column.right(), track, track + lanes_.block};
    connect({FlowPart::carryValue, head}, rightOf(value), before);
    connect({FlowPart::underValue, head}, before, after);
    connect({FlowPart::meetValue, head}, after, partOfEdge(out, out.a.x, 1, 2, 2));
    connect({FlowPart::weigh, head}, rightOf(heat), partOfEdge(out, out.a.x, 0, 1, 2));

    connect({FlowPart::gather, head}, rightOf(out),
            partOfEdge(concat_, concat_.a.x, head, head + 1, config_.numHeads));
    addRowBlock(head, head + 1);
  }

  /// Adds the ribbon from heads [begin, end) to their rows of W^O, and from there to the whole
  /// output.
  void addRowBlock(Index begin, Index end) {
    const Index heads = config_.numHeads;
    connect({FlowPart::rowBlock, begin}, partOfEdge(concat_, concat_.b.x, begin, end, heads),
            partOfEdge(outputWeights_, outputWeights_.a.x, begin, end, heads));
    connect({FlowPart::fan, begin},
            partOfEdge(outputWeights_, outputWeights_.b.x, begin, end, heads), leftOf(output_));
  }

  void addHidden(const FlowHiddenHeads& hidden) {
    const float band = std::min(lanes_.pitch * 0.5F, 3 * lanes_.block);
    const float top = hidden.top + (lanes_.pitch - band) / 2;
    const Rect in = addBlock({FlowPart::hidden, hidden.first}, FlowColumn::heads, top, band);
    const Rect out =
        addBlock({FlowPart::hiddenOutput, hidden.first}, FlowColumn::headOutputs, top, band);
    const Index begin = hidden.first, end = begin + hidden.count, heads = config_.numHeads;
    const auto from = [&](const Rect& rect) {
      return partOfEdge(rect, rect.b.x, begin, end, heads);
    };
    connect({FlowPart::hiddenQuery, begin}, from(query_), partOfEdge(in, in.a.x, 0, 1, 3));
    connect({FlowPart::hiddenKey, begin}, from(key_), partOfEdge(in, in.a.x, 1, 2, 3));
    connect({FlowPart::hiddenValue, begin}, from(value_), partOfEdge(in, in.a.x, 2, 3, 3));
    connect({FlowPart::hiddenGather, begin}, rightOf(out),
            partOfEdge(concat_, concat_.a.x, begin, end, heads));
    addRowBlock(begin, end);
  }

  const AttentionConfig& config_;
  const FlowColumns& columns_;
  const FlowLanes& lanes_;
  float height_, scale_;
  FlowLayout layout_;
  Rect input_, memory_, query_, key_, value_, concat_, outputWeights_, output_;
};

// Numbers, notes and labels.

// Points at scale 1.
constexpr float kLabelRise = 8;   // the gap between the picture and the labels
constexpr float kBadgeSize = 18;  // a head's number
constexpr float kBadgeGap = 4;    // the gap between a number and its block
constexpr float kBadgePadding = 3;
constexpr float kDigits = 0.85F;  // the height of digits, as a share of their line's
constexpr float kNoteRise = 8;    // the gap between W^O and its note
constexpr float kMemoryRise = 3;  // the gap between the memory and its name
constexpr float kMaxHeatmap = 130;
constexpr float kMaxHeatmapShare = 0.085F;  // the largest width of a heatmap, per width of the area
// The least heights of a picture that has labels with two lines of shapes, with one, and with names
// only.
constexpr float kHeightForTwoLines = 110, kHeightForOneLine = 60, kHeightForNames = 24;

float labelHeight(std::size_t lines, const FlowMetrics& metrics) {
  return metrics.nameHeight +
         static_cast<float>(lines) * (metrics.shapeHeight + kFlowLineGap * metrics.scale);
}

/// The height left for the picture, in points at scale 1.
float heightLeft(float height, std::size_t lines, const FlowMetrics& metrics) {
  return (height - labelHeight(lines, metrics)) / metrics.scale - kLabelRise;
}

std::size_t fittingShapeLines(std::size_t wanted, float height, const FlowMetrics& metrics) {
  if (wanted >= 2 && heightLeft(height, 2, metrics) >= kHeightForTwoLines) return 2;
  return heightLeft(height, 1, metrics) >= kHeightForOneLine ? 1 : 0;
}

/// Adds the number of every head; where lanes are too narrow, only the chosen head's.
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
    // Heads that share keys and values have their number where k and v reach the lane.
    const float x = config.headsPerGroup() > 1 ? right - width : left;
    const float y = std::clamp(lane.top + lanes.block + (lanes.blockGap - height) / 2, 0.0F,
                               areaHeight - height);
    layout.badges.push_back({{FlowPart::weights, lane.head}, Rect::at({x, y}, {width, height})});
  }
}

void addHiddenNotes(FlowLayout& layout, const FlowColumns& columns, const FlowLanes& lanes,
                    const FlowMetrics& metrics) {
  if (lanes.pitch < kDigits * metrics.tinyHeight) return;
  const float left = columns[FlowColumn::heads].right();
  const float right = columns[FlowColumn::headOutputs].left();
  for (const FlowHiddenHeads& hidden : lanes.hidden) {
    for (const char* wording : {tr("+ {} more heads"), "+ {}"}) {
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

/// Adds a note on W^O below its block, where there is room.
void addOutputNote(FlowLayout& layout, const FlowColumns& columns, float areaHeight, float width,
                   const FlowMetrics& metrics) {
  const FlowBlock* block = layout.block({FlowPart::outputWeights});
  const float x = columns[FlowColumn::outputWeights].center;
  const float half = std::min(x - columns[FlowColumn::concat].right(), width - x);
  const std::vector<std::string> lines = {tr("one row block per head:"),
                                          tr("each reaches all of the output")};
  float y = block->rect.b.y + kNoteRise * metrics.scale;
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

/// Adds the name of the memory above its block, which has no letter.
void addMemoryNote(FlowLayout& layout, const FlowColumns& columns, const FlowMetrics& metrics) {
  const FlowBlock* block = layout.block({FlowPart::memory});
  if (block == nullptr) return;
  const std::string name(info(TensorId::memory).symbol);
  const float width = metrics.noteWidth(name);
  const float x = columns[FlowColumn::input].center;
  const float y = block->rect.a.y - metrics.noteHeight - kMemoryRise * metrics.scale;
  const float half = std::min(x, columns[FlowColumn::projected].left() - x);
  if (width > 2 * half || y < layout.block({FlowPart::input})->rect.b.y) return;
  layout.notes.push_back({{FlowPart::memory}, name, false, x, y, width});
}

template <typename Items>
auto* withId(const Items& items, FlowId id) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.id == id; });
  return found == items.end() ? nullptr : &*found;
}

// The part at a point.

bool inside(const FlowBlock& block, float x, float y) {
  // A thin block is enlarged for the mouse.
  const float slack = std::max(0.0F, 3 - block.rect.height() / 2);
  return block.rect.inset({0.0F, -slack}).contains({x, y});
}

bool inside(const FlowRibbon& ribbon, float x, float y) {
  const FlowEdge &from = ribbon.from, &to = ribbon.to;
  if (x < from.x || x >= to.x) return false;
  const float t = (x - from.x) / (to.x - from.x);
  const float eased = t * t * (3 - 2 * t);  // the easing of drawn ribbons
  const float top = from.top + (to.top - from.top) * eased;
  const float bottom = from.bottom + (to.bottom - from.bottom) * eased;
  return y >= top && y < bottom;
}

template <typename Items>
const FlowId* lastHit(const Items& items, float x, float y) {
  const auto hit = std::find_if(items.rbegin(), items.rend(), [&](const auto& item) {
    return item.opacity >= 1 && inside(item, x, y);
  });
  return hit == items.rend() ? nullptr : &hit->id;
}

}  // namespace

const FlowBlock* FlowLayout::block(FlowId id) const { return withId(blocks, id); }
const FlowRibbon* FlowLayout::ribbon(FlowId id) const { return withId(ribbons, id); }

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

  FlowLayout layout = FlowPicture(config, columns, lanes, area, metrics.scale).build();
  addBadges(layout, config, chosenHead, columns, lanes, area, metrics);
  addHiddenNotes(layout, columns, lanes, metrics);
  addOutputNote(layout, columns, area, width, metrics);
  addMemoryNote(layout, columns, metrics);
  layout.labels = std::move(columns.labels);
  for (FlowLabel& label : layout.labels) label.y = labelTop;
  return layout;
}

std::optional<FlowId> hitTest(const FlowLayout& layout, float x, float y) {
  if (const FlowId* block = lastHit(layout.blocks, x, y)) return *block;
  for (const FlowBadge& badge : layout.badges) {
    if (badge.rect.contains({x, y})) {
      return badge.id;
    }
  }
  if (const FlowId* ribbon = lastHit(layout.ribbons, x, y)) return *ribbon;
  for (const FlowLabel& label : layout.labels) {
    if (y >= label.y && x >= label.x - label.width / 2 && x < label.x + label.width / 2) {
      return label.id;
    }
  }
  return std::nullopt;
}

}  // namespace headscope::ui
