#include "app/ui/flow/flow_picture.h"

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

constexpr float kShareOfHeight = 0.28F;  // D features, of the area: Q, K and V with room between
constexpr float kStripe = 5;             // right edge of Q, K and V
constexpr float kMaxAspect = 2;          // of a heatmap, T : M beyond that is not drawn to scale

/// Part [begin, end) of `count` equal parts of a block's height, as an edge at x.
FlowEdge part(const gl::Rect& rect, float x, Index begin, Index end, Index count) {
  const float height = rect.y1 - rect.y0;
  const auto at = [&](Index i) {
    return rect.y0 + height * static_cast<float>(i) / static_cast<float>(count);
  };
  return {x, at(begin), at(end)};
}
FlowEdge leftOf(const gl::Rect& rect) { return {rect.x0, rect.y0, rect.y1}; }
FlowEdge rightOf(const gl::Rect& rect) { return {rect.x1, rect.y0, rect.y1}; }

class Builder {
 public:
  Builder(const AttentionConfig& config, const FlowColumns& columns, const FlowLanes& lanes,
          float height, float scale)
      : config_(config), columns_(columns), lanes_(lanes), height_(height), scale_(scale) {
    const auto perHead = static_cast<float>(config.dK());
    const auto width = static_cast<float>(std::max(config.dModel, config.queryWidth()));
    layout_.headFeatureHeight = lanes.block / perHead;
    // All of Q, K and V above each other, and X above the memory, must fit.
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
  gl::Rect addBlock(FlowId id, FlowColumn column, float top, float height) {
    const FlowColumns::Place& place = columns_[column];
    const gl::Rect rect = {place.left(), top, place.right(), top + height};
    layout_.blocks.push_back({id, rect});
    return rect;
  }
  gl::Rect addCentred(FlowId id, FlowColumn column, float height) {
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
    key_ = addBlock({FlowPart::key}, FlowColumn::projected, query_.y1 + gap, k);
    value_ = addBlock({FlowPart::value}, FlowColumn::projected, key_.y1 + gap, k);
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

  gl::Rect addQuery(const FlowLane& lane) {
    const gl::Rect block =
        addBlock({FlowPart::headQuery, lane.head}, FlowColumn::heads, lane.top, lanes_.block);
    connect({FlowPart::splitQuery, lane.head},
            part(query_, query_.x1, lane.head, lane.head + 1, config_.numHeads), leftOf(block));
    return block;
  }

  /// k (slot 1) or v (slot 2) of a key/value head.
  gl::Rect addKeyOrValue(Index kv, FlowPart head, FlowPart split, const gl::Rect& from, int slot,
                         const FlowLane& home) {
    const float top = home.top + static_cast<float>(slot) * (lanes_.block + lanes_.blockGap);
    const gl::Rect block = addBlock({head, kv}, FlowColumn::heads, top, lanes_.block);
    connect({split, kv}, part(from, from.x1, kv, kv + 1, config_.numKvHeads), leftOf(block));
    return block;
  }

  /// A key/value head lies in the lane in the middle of the heads it serves.
  void addHeads() {
    const auto& lanes = lanes_.lanes;
    for (std::size_t begin = 0, end = 0; begin < lanes.size(); begin = end) {
      const Index kv = config_.kvHead(lanes[begin].head);
      while (end < lanes.size() && config_.kvHead(lanes[end].head) == kv) ++end;
      const FlowLane& home = lanes[begin + (end - begin - 1) / 2];
      const gl::Rect key = addKeyOrValue(kv, FlowPart::headKey, FlowPart::splitKey, key_, 1, home);
      const gl::Rect value =
          addKeyOrValue(kv, FlowPart::headValue, FlowPart::splitValue, value_, 2, home);
      for (std::size_t i = begin; i < end; ++i) addHead(lanes[i], key, value);
    }
  }

  /// The weights' heatmap over the lane's q and k; T rows and M columns in their proportion.
  gl::Rect heatmapRect(const FlowLane& lane) const {
    const float side = std::min(lanes_.heatmapTrack(), columns_[FlowColumn::weights].width);
    const float aspect =
        std::clamp(static_cast<float>(config_.keys()) / static_cast<float>(config_.seqLen),
                   1 / kMaxAspect, kMaxAspect);
    const float w = side * std::min(aspect, 1.0F), h = side * std::min(1 / aspect, 1.0F);
    const float x = columns_[FlowColumn::weights].center;
    const float y = lane.top - lanes_.heatmapRise() + lanes_.heatmapTrack() / 2;
    return {x - w / 2, y - h / 2, x + w / 2, y + h / 2};
  }

  void addHead(const FlowLane& lane, const gl::Rect& key, const gl::Rect& value) {
    const Index head = lane.head;
    const gl::Rect query = addQuery(lane);
    const gl::Rect heat = heatmapRect(lane);
    layout_.blocks.push_back({{FlowPart::weights, head}, heat});
    connect({FlowPart::scoreQuery, head}, rightOf(query), part(heat, heat.x0, 0, 1, 2));
    connect({FlowPart::scoreKey, head}, rightOf(key), part(heat, heat.x0, 1, 2, 2));

    const gl::Rect out = addBlock({FlowPart::headOutput, head}, FlowColumn::headOutputs,
                                  lane.top + lanes_.block + lanes_.blockGap, lanes_.block);
    const auto& column = columns_[FlowColumn::weights];
    const float track = lane.top + 2 * (lanes_.block + lanes_.blockGap);
    const FlowEdge before = {column.left(), track, track + lanes_.block};
    const FlowEdge after = {column.right(), track, track + lanes_.block};
    connect({FlowPart::carryValue, head}, rightOf(value), before);
    connect({FlowPart::underValue, head}, before, after);
    connect({FlowPart::meetValue, head}, after, part(out, out.x0, 1, 2, 2));
    connect({FlowPart::weigh, head}, rightOf(heat), part(out, out.x0, 0, 1, 2));

    connect({FlowPart::gather, head}, rightOf(out),
            part(concat_, concat_.x0, head, head + 1, config_.numHeads));
    addRowBlock(head, head + 1);
  }

  /// Rows of W^O that take heads [begin, end) to all of the output.
  void addRowBlock(Index begin, Index end) {
    const Index heads = config_.numHeads;
    connect({FlowPart::rowBlock, begin}, part(concat_, concat_.x1, begin, end, heads),
            part(outputWeights_, outputWeights_.x0, begin, end, heads));
    connect({FlowPart::fan, begin}, part(outputWeights_, outputWeights_.x1, begin, end, heads),
            leftOf(output_));
  }

  void addHidden(const FlowHiddenHeads& hidden) {
    const float band = std::min(lanes_.pitch * 0.5F, 3 * lanes_.block);
    const float top = hidden.top + (lanes_.pitch - band) / 2;
    const gl::Rect in = addBlock({FlowPart::hidden, hidden.first}, FlowColumn::heads, top, band);
    const gl::Rect out =
        addBlock({FlowPart::hiddenOutput, hidden.first}, FlowColumn::headOutputs, top, band);
    const Index begin = hidden.first, end = begin + hidden.count, heads = config_.numHeads;
    const auto from = [&](const gl::Rect& rect) { return part(rect, rect.x1, begin, end, heads); };
    connect({FlowPart::hiddenQuery, begin}, from(query_), part(in, in.x0, 0, 1, 3));
    connect({FlowPart::hiddenKey, begin}, from(key_), part(in, in.x0, 1, 2, 3));
    connect({FlowPart::hiddenValue, begin}, from(value_), part(in, in.x0, 2, 3, 3));
    connect({FlowPart::hiddenGather, begin}, rightOf(out),
            part(concat_, concat_.x0, begin, end, heads));
    addRowBlock(begin, end);
  }

  const AttentionConfig& config_;
  const FlowColumns& columns_;
  const FlowLanes& lanes_;
  float height_, scale_;
  FlowLayout layout_;
  gl::Rect input_, memory_, query_, key_, value_, concat_, outputWeights_, output_;
};

}  // namespace

FlowLayout layOutPicture(const AttentionConfig& config, const FlowColumns& columns,
                         const FlowLanes& lanes, float height, float scale) {
  return Builder(config, columns, lanes, height, scale).build();
}

}  // namespace headscope::ui
