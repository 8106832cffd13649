#include "app/ui/flow/flow_layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/ui/flow/flow_grid.h"
#include "app/ui/flow/flow_panel.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"

namespace headscope::ui {
namespace {

/// A fixed-width typeface.
FlowMetrics flowMetricsFor(float scale = 1) {
  const auto letters = [](std::string_view text) {
    return static_cast<float>(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
  };
  const auto width = [=](float letter) {
    return [=](std::string_view text) { return letters(text) * letter * scale; };
  };
  return {scale,       14 * scale, 13 * scale,  14 * scale, 11 * scale,
          width(6.5F), width(7),   width(6.5F), width(6)};
}

AttentionConfig dimensions(Index dModel, Index heads, Index kvHeads = 0) {
  AttentionConfig config;
  config.dModel = dModel;
  config.numHeads = heads;
  config.numKvHeads = kvHeads > 0 ? kvHeads : heads;
  return config;
}

float heightOf(const FlowLayout& layout, FlowPart part, Index head = -1) {
  const FlowBlock* block = layout.block({part, head});
  return block == nullptr ? -1 : block->rect.b.y - block->rect.a.y;
}

float thickness(const FlowEdge& edge) { return edge.bottom - edge.top; }

/// Sum of the ribbons of a kind at their left or right edge.
float sumOf(const FlowLayout& layout, std::set<FlowPart> parts, bool left) {
  float sum = 0;
  for (const FlowRibbon& ribbon : layout.ribbons) {
    if (parts.count(ribbon.id.part) > 0) sum += thickness(left ? ribbon.from : ribbon.to);
  }
  return sum;
}

constexpr float kWidth = 985, kHeight = 310;

TEST(FlowLayout, HeightsFollowTheDimensions) {
  const FlowLayout layout = layoutFlow(dimensions(512, 8, 2), 0, kWidth, kHeight, flowMetricsFor());
  const float u = layout.featureHeight;
  EXPECT_GT(512 * u, 0.15F * kHeight);
  for (const FlowPart part : {FlowPart::input, FlowPart::query, FlowPart::concat,
                              FlowPart::outputWeights, FlowPart::output}) {
    EXPECT_FLOAT_EQ(heightOf(layout, part), 512 * u);
  }
  EXPECT_NEAR(heightOf(layout, FlowPart::key), 128 * u, 1e-3);
  EXPECT_NEAR(heightOf(layout, FlowPart::value), 128 * u, 1e-3);
  // A head's blocks are at the same measure while every head has a lane.
  EXPECT_FLOAT_EQ(layout.headFeatureHeight, u);
  EXPECT_NEAR(heightOf(layout, FlowPart::headQuery, 3), 64 * u, 1e-3);
  EXPECT_NEAR(heightOf(layout, FlowPart::headOutput, 3), 64 * u, 1e-3);
}

TEST(FlowLayout, RibbonsOfTheHeadsSumToTheirBlocks) {
  for (const Index heads : {1, 8, 128}) {
    const FlowLayout layout =
        layoutFlow(dimensions(1024, heads), heads / 2, kWidth, kHeight, flowMetricsFor());
    using P = FlowPart;
    EXPECT_NEAR(sumOf(layout, {P::splitQuery, P::hiddenQuery}, true), heightOf(layout, P::query),
                1e-2);
    EXPECT_NEAR(sumOf(layout, {P::splitKey, P::hiddenKey}, true), heightOf(layout, P::key), 1e-2);
    EXPECT_NEAR(sumOf(layout, {P::splitValue, P::hiddenValue}, true), heightOf(layout, P::value),
                1e-2);
    EXPECT_NEAR(sumOf(layout, {P::gather, P::hiddenGather}, false), heightOf(layout, P::concat),
                1e-2);
    EXPECT_NEAR(sumOf(layout, {P::rowBlock}, false), heightOf(layout, P::outputWeights), 1e-2);
    EXPECT_NEAR(sumOf(layout, {P::fan}, true), heightOf(layout, P::outputWeights), 1e-2);
  }
}

TEST(FlowLayout, EveryRowBlockReachesAllOfTheOutput) {
  const FlowLayout layout = layoutFlow(dimensions(512, 8), 0, kWidth, kHeight, flowMetricsFor());
  for (Index head = 0; head < 8; ++head) {
    const FlowRibbon* fan = layout.ribbon({FlowPart::fan, head});
    ASSERT_NE(fan, nullptr);
    EXPECT_FLOAT_EQ(thickness(fan->to), heightOf(layout, FlowPart::output));
  }
  for (const FlowPart part : {FlowPart::inputQuery, FlowPart::inputKey, FlowPart::inputValue}) {
    EXPECT_FLOAT_EQ(thickness(layout.ribbon({part})->from), heightOf(layout, FlowPart::input));
  }
}

TEST(FlowLayout, ValuesPassBelowTheSoftmax) {
  const FlowLayout layout = layoutFlow(dimensions(512, 8), 0, kWidth, kHeight, flowMetricsFor());
  for (Index head = 0; head < 8; ++head) {
    const Rect weights = layout.block({FlowPart::weights, head})->rect;
    const FlowRibbon* under = layout.ribbon({FlowPart::underValue, head});
    EXPECT_GE(under->from.top, weights.b.y);
    EXPECT_LE(under->from.x, weights.a.x);
    EXPECT_GE(under->to.x, weights.b.x);
    EXPECT_FLOAT_EQ(layout.ribbon({FlowPart::meetValue, head})->to.bottom,
                    layout.block({FlowPart::headOutput, head})->rect.b.y);
  }
}

TEST(FlowLayout, SharedKeysAndValuesReachAllHeadsOfTheirGroup) {
  const FlowLayout layout = layoutFlow(dimensions(512, 8, 2), 0, kWidth, kHeight, flowMetricsFor());
  EXPECT_NE(layout.block({FlowPart::headKey, 1}), nullptr);
  EXPECT_EQ(layout.block({FlowPart::headKey, 2}), nullptr);
  for (Index head = 0; head < 8; ++head) {
    const Rect key = layout.block({FlowPart::headKey, head / 4})->rect;
    EXPECT_FLOAT_EQ(layout.ribbon({FlowPart::scoreKey, head})->from.top, key.a.y);
  }
}

TEST(FlowLayout, MemoryFeedsKeysAndValues) {
  AttentionConfig config = dimensions(512, 8);
  config.memoryLen = 9;
  config.memoryWidth = 256;
  const FlowLayout layout = layoutFlow(config, 0, kWidth, kHeight, flowMetricsFor());
  const Rect x = layout.block({FlowPart::input})->rect;
  const Rect memory = layout.block({FlowPart::memory})->rect;
  EXPECT_GT(memory.a.y, x.b.y);
  EXPECT_NEAR(2 * (memory.b.y - memory.a.y), x.b.y - x.a.y, 1e-3);
  EXPECT_FLOAT_EQ(layout.ribbon({FlowPart::inputQuery})->from.top, x.a.y);
  EXPECT_FLOAT_EQ(layout.ribbon({FlowPart::inputKey})->from.top, memory.a.y);
  EXPECT_FLOAT_EQ(layout.ribbon({FlowPart::inputValue})->from.top, memory.a.y);
}

TEST(FlowLayout, ShapesAreTheConfigurationsOwn) {
  const auto all = [](const AttentionConfig& config) {
    std::string text;
    for (const FlowLabel& label : layoutFlow(config, 0, 2000, 500, flowMetricsFor()).labels) {
      for (const FlowPhrase& phrase : label.name) text += phrase.text;
      for (const std::string& shape : label.shapes) text += " | " + shape;
      text += "\n";
    }
    return text;
  };
  EXPECT_EQ(all(dimensions(512, 8)),
            "X | (6, 512)\n"
            "Q, K, V = X W + b | 3 × (6, 512)\n"
            "q, k, v of each head | 8 × 3 × (6, 64)\n"
            "softmax(Q K^T/√64) | 8 × (6, 6)\n"
            "A V | 8 × (6, 64)\n"
            "concat | (6, 512)\n"
            "W^O + b | (512, 512)\n"
            "output | (6, 512)\n");
  AttentionConfig config = dimensions(512, 8, 2);
  config.batch = 2;
  config.memoryLen = 9;
  config.switches->bias = false;
  config.switches->temperature = 1.5;
  config.mask.causal = true;
  config.headGains.assign(8, 0.0F);
  EXPECT_EQ(all(config),
            "X and memory | X (2, 6, 512) | memory (2, 9, 512)\n"
            "Q = X W; K, V = memory W | Q (2, 6, 512) | K, V (2, 9, 128)\n"
            "q, k, v of each head | q 2 × 8 × (6, 64) | k, v 2 × 2 × (9, 64)\n"
            "softmax(Q K^T/(√64·1.5) + mask) | 2 × 8 × (6, 9)\n"
            "g A V | 2 × 8 × (6, 64)\n"
            "concat | (2, 6, 512)\n"
            "W^O | (512, 512)\n"
            "output | (2, 6, 512)\n");
}

void expectSound(const FlowLayout& layout, float width, float height) {
  const auto inside = [&](float x, float y) {
    EXPECT_TRUE(std::isfinite(x) && std::isfinite(y));
    EXPECT_GE(x, -0.01F);
    EXPECT_LE(x, width + 0.01F);
    EXPECT_GE(y, -0.01F);
    EXPECT_LE(y, height + 0.01F);
  };
  for (const FlowBlock& block : layout.blocks) {
    inside(block.rect.a.x, block.rect.a.y);
    inside(block.rect.b.x, block.rect.b.y);
    EXPECT_GT(block.rect.b.x, block.rect.a.x);
    EXPECT_GT(block.rect.b.y, block.rect.a.y);
  }
  for (const FlowRibbon& ribbon : layout.ribbons) {
    inside(ribbon.from.x, ribbon.from.top);
    inside(ribbon.to.x, ribbon.to.bottom);
    EXPECT_GE(ribbon.to.x, ribbon.from.x);
    EXPECT_GE(thickness(ribbon.from), 0);
    EXPECT_GE(thickness(ribbon.to), 0);
  }
  for (const FlowBadge& badge : layout.badges) {
    inside(badge.rect.a.x, badge.rect.a.y);
    inside(badge.rect.b.x, badge.rect.b.y);
  }
  float right = -1;
  for (const FlowLabel& label : layout.labels) {  // left to right
    inside(label.x - label.width / 2, label.y);
    inside(label.x + label.width / 2, label.y);
    EXPECT_GE(label.x - label.width / 2, right);
    right = label.x + label.width / 2;
  }
  for (const FlowNote& note : layout.notes) {
    inside(note.x - note.width / 2, note.y);
    inside(note.x + note.width / 2, note.y);
  }
}

TEST(FlowLayout, StaysSoundAtEverySizeAndDimension) {
  std::vector<AttentionConfig> configs = {dimensions(512, 8),     dimensions(1, 1),
                                          dimensions(64, 64),     dimensions(65536, 1),
                                          dimensions(65536, 128), dimensions(65536, 65536),
                                          dimensions(512, 8, 1),  dimensions(4096, 128, 8)};
  configs.front().seqLen = 1;
  configs.push_back(dimensions(64, 4));
  configs.back().memoryLen = 4096;
  configs.back().memoryWidth = 65536;
  for (const AttentionConfig& config : configs) {
    for (const auto& [width, height] : {std::pair{664, 166}, {985, 310}, {2564, 850}, {120, 60}}) {
      for (const float scale : {1.0F, 2.0F, 3.0F}) {
        SCOPED_TRACE(fmt::format("D {} H {} at {} × {}, scale {}", config.dModel, config.numHeads,
                                 width, height, scale));
        const auto w = static_cast<float>(width), h = static_cast<float>(height);
        for (const Index chosen : {Index{0}, config.numHeads / 2, config.numHeads - 1}) {
          const FlowLayout layout = layoutFlow(config, chosen, w, h, flowMetricsFor(scale));
          expectSound(layout, w, h);
          EXPECT_NE(layout.block({FlowPart::weights, chosen}), nullptr);
        }
      }
    }
  }
}

TEST(FlowLayout, LabelsAreThereInTheSmallestPanelAndGetShorter) {
  const FlowLayout layout = layoutFlow(dimensions(512, 8), 0, 664, 166, flowMetricsFor());
  EXPECT_EQ(layout.labels.size(), kFlowColumns);
  EXPECT_EQ(layout.badges.size(), 8U);
}

TEST(FlowLanes, ShowsFirstChosenAndLastHeads) {
  EXPECT_EQ(shownHeads(4, 2, 4), (std::vector<Index>{0, 1, 2, 3}));
  const std::vector<Index> shown = shownHeads(128, 60, 20);
  EXPECT_EQ(shown.size(), 18U);  // the other two rows stand for the heads between
  EXPECT_TRUE(std::count(shown.begin(), shown.end(), 60) == 1);
  EXPECT_EQ(shown.front(), 0);
  EXPECT_EQ(shown.back(), 127);
  EXPECT_EQ(shownHeads(128, 60, 1), (std::vector<Index>{60}));
}

TEST(FlowLanes, CountsEveryHeadOnce) {
  for (const Index chosen : {0, 1, 50, 126, 127}) {
    for (Index rows = 1; rows < 40; ++rows) {
      const FlowLanes lanes =
          layOutLanes(dimensions(1024, 128), chosen, 0, static_cast<float>(rows) * 12.5F, 1);
      Index heads = static_cast<Index>(lanes.lanes.size());
      for (const FlowHiddenHeads& hidden : lanes.hidden) {
        EXPECT_GT(hidden.count, 1);
        heads += hidden.count;
      }
      EXPECT_EQ(heads, 128);
    }
  }
}

TEST(FlowLayout, SaysHowManyHeadsAreLeftOut) {
  const FlowLayout layout = layoutFlow(dimensions(1024, 128), 0, kWidth, kHeight, flowMetricsFor());
  const auto note = std::find_if(layout.notes.begin(), layout.notes.end(),
                                 [](const FlowNote& n) { return n.id.part == FlowPart::hidden; });
  ASSERT_NE(note, layout.notes.end());
  const auto shown = std::count_if(layout.blocks.begin(), layout.blocks.end(),
                                   [](const auto& b) { return b.id.part == FlowPart::weights; });
  EXPECT_EQ(note->text, fmt::format("+ {} more heads", 128 - shown));
}

TEST(FlowBlend, RunsFromTheOldLayoutToTheNew) {
  const FlowLayout from = layoutFlow(dimensions(512, 8), 0, kWidth, kHeight, flowMetricsFor());
  const FlowLayout to = layoutFlow(dimensions(512, 4), 0, kWidth, kHeight, flowMetricsFor());
  const FlowId query = {FlowPart::headQuery, 2};
  const Rect a = from.block(query)->rect, b = to.block(query)->rect;
  EXPECT_FLOAT_EQ(blend(from, to, 0).block(query)->rect.b.y, a.b.y);
  EXPECT_NEAR(blend(from, to, 0.5F).block(query)->rect.b.y, (a.b.y + b.b.y) / 2, 1e-3);
  EXPECT_FLOAT_EQ(blend(from, to, 1).block(query)->rect.b.y, b.b.y);
  // Heads 5 to 8 fade out; on the way back they fade in.
  const FlowId gone = {FlowPart::headQuery, 6};
  EXPECT_FLOAT_EQ(blend(from, to, 0.25F).block(gone)->opacity, 0.75F);
  EXPECT_FLOAT_EQ(blend(to, from, 0.25F).block(gone)->opacity, 0.25F);
  EXPECT_FALSE(hitTest(blend(from, to, 0.5F), 0, 0).has_value());
}

TEST(FlowHit, FindsBlocksRibbonsAndLabels) {
  const FlowLayout layout = layoutFlow(dimensions(512, 8), 0, kWidth, kHeight, flowMetricsFor());
  for (const FlowBlock& block : layout.blocks) {
    const Rect& r = block.rect;
    EXPECT_EQ(hitTest(layout, (r.a.x + r.b.x) / 2, (r.a.y + r.b.y) / 2), block.id);
  }
  const FlowRibbon* ribbon = layout.ribbon({FlowPart::rowBlock, 3});
  EXPECT_EQ(hitTest(layout, (ribbon->from.x + ribbon->to.x) / 2,
                    (ribbon->from.top + ribbon->from.bottom) / 2),
            ribbon->id);
  const FlowLabel& label = layout.labels.back();
  EXPECT_EQ(hitTest(layout, label.x, label.y + 1), (FlowId{FlowPart::output, -1}));
  EXPECT_EQ(hitTest(layout, 1, 1), std::nullopt);
}

}  // namespace
}  // namespace headscope::ui
