// Flow layout: the places of all blocks, ribbons and labels of the dimension flow, as plain
// numbers.
//
// X → Q, K, V → each head's q, k, v → weights → head outputs → concat → W^O → output, left to
// right.
//
// Heights follow the dimensions. In X, Q, K, V, concat, W^O and the output, n features are n ·
// featureHeight points high, and no block is thinner than kMinBlock. The q, k, v and output of a
// head have d_k features. They have the same featureHeight where all heads have a lane of their own
// and the width of the memory allows it, so that the lanes hold exactly what Q, K and V hold;
// otherwise they are enlarged.
//
// Coordinates are points from the area's upper left corner. Nothing here needs a window.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/parts/layout.h"
#include "core/attention/steps/step_id.h"
#include "core/base/index.h"
#include "core/document/fwd.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::ui {

enum class FlowPart {
  // Blocks.
  input,
  memory,
  query,
  key,
  value,
  headQuery,
  headKey,
  headValue,
  weights,
  headOutput,
  concat,
  outputWeights,
  output,
  hidden,
  hiddenOutput,
  // Ribbons. `underValue` is the way of V below the softmax.
  inputQuery,
  inputKey,
  inputValue,
  splitQuery,
  splitKey,
  splitValue,
  scoreQuery,
  scoreKey,
  carryValue,
  underValue,
  meetValue,
  weigh,
  gather,
  rowBlock,
  fan,
  hiddenQuery,
  hiddenKey,
  hiddenValue,
  hiddenGather,
};

/// The identity of a block or ribbon across layouts. `head` is −1 for a part that all heads share,
/// the key/value head for k, v and the ribbons to them, and the first hidden head for a run of
/// them.
struct FlowId {
  FlowPart part = FlowPart::input;
  Index head = -1;

  auto operator<=>(const FlowId&) const = default;
};

struct FlowBlock {
  FlowId id;
  Rect rect;
  float opacity = 1;
};

/// A vertical edge.
struct FlowEdge {
  float x = 0, top = 0, bottom = 0;
};

struct FlowRibbon {
  FlowId id;
  FlowEdge from, to;
  float opacity = 1;
};

/// A badge with the number of a head.
struct FlowBadge {
  FlowId id;
  Rect rect;
  float opacity = 1;
};

struct FlowPhrase {
  std::string text;            // rich text
  std::optional<StepId> step;  // the step of this piece of a formula
};

/// The name and shapes under a column, centred at x.
struct FlowLabel {
  FlowId id;
  std::vector<FlowPhrase> name;
  std::vector<std::string> shapes;
  float x = 0, y = 0, width = 0;
  float opacity = 1;
};

/// A line of text, centred at x.
struct FlowNote {
  FlowId id;
  std::string text;
  bool tiny = false;
  float x = 0, y = 0, width = 0;
  float opacity = 1;
};

struct FlowLayout {
  float featureHeight = 0;      // points per feature outside the lanes
  float headFeatureHeight = 0;  // points per feature in a head's lane
  float stripeWidth = 0;        // the stripes at the right edge of Q, K and V, part of their blocks
  std::vector<FlowBlock> blocks;
  std::vector<FlowRibbon> ribbons;
  std::vector<FlowBadge> badges;
  std::vector<FlowLabel> labels;
  std::vector<FlowNote> notes;

  const FlowBlock* block(FlowId id) const;
  const FlowRibbon* ribbon(FlowId id) const;
};

/// The sizes of text in points: labels' names and shapes, notes, and the tiny print of head
/// numbers. `scale` is the scale of the interface.
struct FlowMetrics {
  float scale = 1;
  float nameHeight = 0, shapeHeight = 0, noteHeight = 0, tinyHeight = 0;
  std::function<float(std::string_view)> nameWidth, shapeWidth, noteWidth, tinyWidth;
};

// Points at scale 1.
inline constexpr float kMinBlock = 2;
inline constexpr float kFlowLineGap = 2;  // between a label's lines

FlowLayout layoutFlow(const AttentionConfig& config, Index chosenHead, float width, float height,
                      const FlowMetrics& metrics);

/// Returns the block at a point, or else the ribbon. Where several overlap, the one drawn last.
std::optional<FlowId> hitTest(const FlowLayout& layout, float x, float y);

}  // namespace headscope::ui
