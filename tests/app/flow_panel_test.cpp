// The flow panel through real frames: clicks, animation and uploads.
#include "app/ui/flow/flow_panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/flow/flow_drawing.h"
#include "app/ui/flow/flow_parts.h"
#include "app/ui/frame_commands.h"
#include "app/ui/head_switch.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/text_field.h"
#include "app/ui/view_state.h"
#include "core/attention/config.h"
#include "core/document/attention.h"
#include "core/editing/edit.h"
#include "core/editing/make_document.h"
#include "core/words/arithmetic.h"

namespace headscope::ui {
namespace {

constexpr float kPanelWidth = 985, kPanelHeight = 340;
constexpr float kTop = 4;  // what the panel leaves free above

DocumentPtr documentOf(Index heads, Index keyHeads) {
  AttentionConfig config;
  config.dModel = 64;
  config.numHeads = heads;
  config.numKvHeads = keyHeads;
  config.batch = 2;
  const TextSource texts{{"The cat sat on the mat", "The dog ran to the sea"}, {}};
  return makeDocument("", config, texts, Positions::named, {}, Index{1} << 30);
}

class FlowPanel : public testing::Test {
 protected:
  FlowPanel() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {kPanelWidth, kPanelHeight};
    fonts_.regular = io.Fonts->AddFontDefault();
    fonts_.small = fonts_.tiny = fonts_.semibold = fonts_.title = fonts_.regular;
    fonts_.mono = fonts_.monoSmall = fonts_.regular;
    io.Fonts->Build();
    injectMousePosition(io, {-1, -1});
    show(8);
  }
  ~FlowPanel() override { ImGui::DestroyContext(); }

  void show(Index heads, Index keyHeads = 0) {
    trace_ = runAttention(documentOf(heads, keyHeads > 0 ? keyHeads : heads));
  }

  void frame(double seconds = 0.02) {
    now_ += seconds;
    wantsFrame_ = false;
    scene_.clear();
    ImGui::GetIO().DeltaTime = 0.02F;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({kPanelWidth, kPanelHeight});
    ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration);
    const FrameContext look = this->look();
    FrameCommands commands;
    origin_ = ImGui::GetCursorScreenPos();
    flowPanel({.document = trace_->document(),
               .trace = *trace_,
               .traceHeld = trace_,
               .view = view_,
               .selection = view_.selection,
               .preferences = view_.preferences,
               .frame = view_.frame,
               .stageView = view_.stage,
               .headsView = view_.heads,
               .trainView = view_.train,
               .modelView = view_.model,
               .commands = commands,
               .look = look,
               .computations = computations_,
               .magnitudes = magnitudes_,
               .explanations = explanations_},
              memory_, ImGui::GetContentRegionAvail());
    ImGui::End();
    ImGui::Render();
  }

  FrameContext look() {
    return {
        theme(ThemeKind::light), fonts_, maps_, scene_, typed_, now_, 1, 0, false, &wantsFrame_};
  }

  FlowLayout layout() {
    const ImVec2 room(kPanelWidth - 2 * origin_.x, kPanelHeight - 2 * origin_.y);
    const FrameContext look = this->look();
    return layoutFlow(trace_->config(), view_.selection.head, room.x, room.y - kTop,
                      flowMetrics(look));
  }

  /// A block's middle on the display.
  ImVec2 middleOf(FlowId id) {
    const Rect r = layout().block(id)->rect;
    return {origin_.x + (r.a.x + r.b.x) / 2, origin_.y + kTop + (r.a.y + r.b.y) / 2};
  }

  void click(FlowId id) {
    frame();
    clickAt(middleOf(id));
  }

  void clickLabel(FlowPart part) {
    frame();
    const std::vector<FlowLabel> labels = layout().labels;
    const auto label = std::find_if(labels.begin(), labels.end(),
                                    [part](const FlowLabel& l) { return l.id.part == part; });
    ASSERT_NE(label, labels.end());
    clickAt({origin_.x + label->x, origin_.y + kTop + label->y + 2});
  }

  void clickAt(ImVec2 position) {
    ImGuiIO& io = ImGui::GetIO();
    injectMousePosition(io, position);
    frame();
    frame();
    injectMouseButton(io, 0, true);
    frame();
    injectMouseButton(io, 0, false);
    frame();
  }

  Fonts fonts_;
  ColorMaps maps_ = ColorMaps::load();
  gl::Scene scene_;
  Scheduler scheduler_;
  Computations computations_{scheduler_};
  Magnitudes magnitudes_;
  Explanations explanations_;
  FlowMemory memory_;
  ViewState view_;
  TracePtr trace_;
  ImVec2 origin_;
  double now_ = 0;
  TypedText typed_;
  bool wantsFrame_ = false;
};

TEST_F(FlowPanel, AClickOpensTheBlocksStepAndHead) {
  click({FlowPart::key});
  EXPECT_EQ(view_.selection.step, StepId::project);
  EXPECT_EQ(view_.selection.part, TensorId::k);
  EXPECT_EQ(view_.selection.head, 0);
  click({FlowPart::headValue, 4});
  EXPECT_EQ(view_.selection.step, StepId::split);
  EXPECT_EQ(view_.selection.part, TensorId::v);
  EXPECT_EQ(view_.selection.head, 4);
  click({FlowPart::weights, 6});
  EXPECT_EQ(view_.selection.step, StepId::softmax);
  EXPECT_EQ(view_.selection.head, 6);
  view_.selection.step = StepId::mask;  // a step of the same block stays
  click({FlowPart::weights, 2});
  EXPECT_EQ(view_.selection.step, StepId::mask);
  EXPECT_EQ(view_.selection.head, 2);
  click({FlowPart::concat});
  EXPECT_EQ(view_.selection.step, StepId::concat);
  click({FlowPart::outputWeights});
  EXPECT_EQ(view_.selection.step, StepId::output);
  EXPECT_EQ(view_.selection.head, 2);
}

TEST_F(FlowPanel, TheLabelOfAColumnOfHeadsStandsForTheChosenOne) {
  view_.selection.head = 5;
  view_.selection.step = StepId::output;
  clickLabel(FlowPart::weights);
  EXPECT_EQ(view_.selection.step, StepId::softmax);
  EXPECT_EQ(view_.selection.head, 5);
  clickLabel(FlowPart::headOutput);
  EXPECT_EQ(view_.selection.step, StepId::weigh);
  EXPECT_EQ(view_.selection.head, 5);
  const FlowLayout shown = layout();
  for (const FlowLabel& label : shown.labels) {
    const FlowId id = forHead(label.id, 5, trace_->config());
    EXPECT_EQ(describe(id, trace_->config()).title.find("Head 0"), std::string::npos);
  }
}

TEST_F(FlowPanel, NewDimensionsMoveForAQuarterOfASecond) {
  frame();
  EXPECT_FALSE(wantsFrame_);
  show(4);
  frame();
  EXPECT_TRUE(wantsFrame_);
  frame(0.2);
  EXPECT_TRUE(wantsFrame_);
  frame(0.1);
  EXPECT_FALSE(wantsFrame_);
}

/// Heads that fade out are still drawn, but the new pass has no numbers for them.
TEST_F(FlowPanel, HeadsThatFadeAwayHaveNoGain) {
  frame();
  show(4);
  trace_ = runAttention(apply(trace_->document(), SetHeadGain{3, 0.0F}, Index{1} << 30).document);
  frame();
  EXPECT_TRUE(wantsFrame_);
  for (Index head = 0; head < 8; ++head) EXPECT_EQ(isOff(trace_->config(), head), head == 3);
}

TEST_F(FlowPanel, WithoutAnimationTheyAreThereAtOnce) {
  view_.preferences.animate = false;
  frame();
  show(4);
  frame();
  EXPECT_FALSE(wantsFrame_);
}

TEST_F(FlowPanel, DrawsEveryHeadsOwnWeights) {
  frame();
  ASSERT_EQ(scene_.commands.size(), 2U);
  const auto& batch = std::get<gl::HeatmapBatch>(scene_.commands[1].batch);
  ASSERT_EQ(batch.sources.size(), 8U);
  const gl::HeatmapSource& source = batch.sources[3];
  ASSERT_EQ(source.rows, 6);
  ASSERT_EQ(source.cols, 6);
  std::vector<float> values(36);
  source.fill(values.data());
  EXPECT_EQ(values[8], trace_->value({TensorId::weights, 0, 3, 1, 2}));
  const std::uint64_t key = source.key;
  view_.selection.item = 1;
  frame();
  const auto& other = std::get<gl::HeatmapBatch>(scene_.commands[1].batch).sources[3];
  EXPECT_NE(other.key, key);
  other.fill(values.data());
  EXPECT_EQ(values[8], trace_->value({TensorId::weights, 1, 3, 1, 2}));
}

/// More cells than pixels: each pixel shows the mean of the weights on it.
TEST_F(FlowPanel, WeightsAreAveragedDownToPixels) {
  AttentionConfig config = trace_->config();
  std::string text;
  for (int i = 0; i < 300; ++i) text += "a ";
  config.batch = 1;
  trace_ = runAttention(
      makeDocument("", config, TextSource{{text}, {}}, Positions::named, {}, Index{1} << 30));
  frame();
  const auto& source = std::get<gl::HeatmapBatch>(scene_.commands[1].batch).sources[0];
  ASSERT_LT(source.rows, 300);
  ASSERT_LT(source.cols, 300);
  std::vector<float> values(static_cast<std::size_t>(source.rows * source.cols));
  source.fill(values.data());
  const float mean =
      std::accumulate(values.begin(), values.end(), 0.0F) / static_cast<float>(values.size());
  EXPECT_NEAR(mean, 1.0F / 300, 2e-4F);  // a row of weights sums to 1
}

/// Where heads share keys and values, K and V have as many stripes as key/value heads.
TEST_F(FlowPanel, KeysAndValuesHaveTheirOwnHeadsStripes) {
  show(8, 2);
  view_.selection.head = 5;  // belongs to the second key/value head
  frame();
  for (const auto& [part, heads] :
       {std::pair{FlowPart::query, 8}, {FlowPart::key, 2}, {FlowPart::value, 2}}) {
    const Rect block = layout().block({part})->rect;
    const float x = std::round(origin_.x + block.b.x) - 1;
    std::set<ImU32> colors;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int l = 0; l < data->CmdListsCount; ++l) {
      const auto& v = data->CmdLists[l]->VtxBuffer;
      for (int i = 0; i + 3 < v.Size; ++i) {  // a filled rectangle: its four corners
        const ImVec2 a = v[i].pos, b = v[i + 2].pos;
        const bool over = a.x < x && x < b.x && b.x - a.x < block.b.x - block.a.x - 2 &&
                          a.y >= std::floor(origin_.y + kTop + block.a.y) - 1 &&
                          b.y <= std::ceil(origin_.y + kTop + block.b.y) + 1 && b.y > a.y;
        if (over && v[i].col == v[i + 2].col) colors.insert(v[i].col & 0x00FFFFFFU);
      }
    }
    const auto color = [](Index head) {
      return headColor(theme(ThemeKind::light), static_cast<std::size_t>(head)) & 0x00FFFFFFU;
    };
    for (Index head = 0; head < 8; ++head) {
      EXPECT_EQ(colors.contains(color(head)), head < heads) << static_cast<int>(part) << head;
    }
  }
}

/// Every part says what it is and opens the step that makes it.
TEST_F(FlowPanel, EveryPartHasItsStepAndWords) {
  const AttentionConfig& config = trace_->config();
  for (int i = 0; i <= static_cast<int>(FlowPart::hiddenGather); ++i) {
    const auto part = static_cast<FlowPart>(i);
    const FlowPartInfo& info = infoOf(part);
    EXPECT_EQ(info.part, part);
    EXPECT_LE(info.first, info.home);
    EXPECT_LE(info.home, info.last);
    EXPECT_TRUE(lights(part, info.home)) << i;
    const FlowDescription said = describe({part, belongsToHead(part) ? 2 : -1}, config);
    EXPECT_FALSE(said.title.empty() || said.about.empty()) << i;
    EXPECT_EQ(said.about.find('{'), std::string::npos) << said.about;
  }
}

TEST_F(FlowPanel, SurvivesAHeadThatIsNoMore) {
  view_.selection.head = 7;
  frame();
  show(2);
  frame();
  frame(1);
  EXPECT_EQ(std::get<gl::HeatmapBatch>(scene_.commands[1].batch).sources.size(), 2U);
}

}  // namespace
}  // namespace headscope::ui
