#include "app/ui/flow_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/frame_state.h"
#include "app/ui/head_purposes.h"
#include "app/ui/model/model_page.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/ui/step_view/head_panels.h"
#include "app/ui/step_view/step_view.h"
#include "app/ui/tools/tools.h"
#include "app/ui/view_state.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kFlowMargin = 14.0F;  // margin of the page, at scale 1
constexpr float kFlowGap = 10.0F;     // gap between its cards
constexpr float kLayerStrip = 50.0F;  // height of the strip of the model's layers, above the others
constexpr float kLowStrip = 74.0F;    // height of the strip of heads, where the page is low

/// In a narrower page the cards stand below each other; in a lower one the strip has no heading.
constexpr float kTwoColumns = 820.0F;
constexpr float kLow = 680.0F;

/// The heights of the rows of a single column; the rail and the inspector share the last.
struct ColumnHeights {
  float stepView, tools, heads, last;
};
constexpr ColumnHeights kColumn{340.0F, 320.0F, 148.0F, 440.0F};

bool oneColumn(float width, float scale) { return width < kTwoColumns * scale; }
bool low(float height, float scale) { return height < kLow * scale; }

constexpr float columnLength() {
  return kColumn.stepView + kColumn.tools + kColumn.heads + kColumn.last + kFlowMargin +
         3.0F * kFlowGap + 2.0F;
}

class FlowPage final : public Page {
 public:
  FlowPage(const Cards& tools, const Playback& playback, CellEditing& editing, ScenesPanel& scenes,
           LiveModel& model)
      : Page({kFlowPage, tr("Flow"), tr("Every step of one pass"), kStepViewCard, kToolsCard},
             Cards::of(makeStepsCard(playback), makeToolsCard(tools),
                       makeStepViewCard(editing, playback), makeInspectorCard(editing, scenes),
                       makeHeadsStrip(), makeLayerStripCard(model))),
        tools_(tools),
        playback_(playback),
        model_(model) {}

  ImVec2 content(const PanelContext& panel, ImVec2 body) const override {
    const float strip = stripHeight(panel);
    const ImVec2 below = flowContent({body.x, body.y - strip}, panel.look.scale);
    return {below.x, below.y + strip};
  }
  std::vector<Rect> layout(const PanelContext& panel, ImVec2 content) const override {
    const bool tallTool = tools_.open(panel.selection.tool).text().tall;
    const float strip = stripHeight(panel);
    const FlowPlaces places =
        layoutFlow({content.x, content.y - strip}, panel.look.scale, tallTool);
    std::vector<Rect> all{places.steps, places.tools, places.stepView, places.inspector,
                          places.heads};
    for (Rect& place : all) {
      if (!place.empty()) place = Rect::at({place.a.x, place.a.y + strip}, place.size());
    }
    const float margin = panel.look.px(kFlowMargin);
    all.push_back(
        strip > 0.0F
            ? Rect{{margin, margin}, {content.x - margin, strip + margin - panel.look.px(kFlowGap)}}
            : Rect{});
    return all;
  }
  std::string placeInWords(const PanelContext& panel, std::string_view card) const override {
    const AttentionConfig& c = panel.trace.config();
    const std::string where = trFormat("Step {} · {}", stepPlace(panel.selection.step, c) + 1,
                                       step(panel.selection.step).text(c).title);
    return card == kStripCard
               ? where
               : fmt::format("{} · {}", where, namedHead(panel.purposes, panel.selection.head));
  }
  std::string keysInWords(const ViewState& view) const override {
    return trFormat("← → step · space {}", view.frame.playing ? tr("pauses") : tr("plays"));
  }
  /// The timeline's narration; off the timeline, the one that the step would begin with.
  std::string sentenceInWords(const PanelContext& panel, std::string_view card) const override {
    const bool narrated = panel.selection.playTime.has_value();
    if (narrated) return card == kStepViewCard ? std::string() : asRichText(playback_.narration);
    return asRichText(narrationOf(panel, playback_));
  }

 private:
  /// The height of the strip of the model's layers with the gap below; 0 where none is shown.
  float stripHeight(const PanelContext& panel) const {
    return model_.layerInFlow() != nullptr ? panel.look.px(kLayerStrip + kFlowGap) : 0.0F;
  }

  const Cards& tools_;
  const Playback& playback_;
  LiveModel& model_;
};

}  // namespace

ImVec2 flowContent(ImVec2 body, float scale) {
  // below these sizes the body scrolls and its cards keep their size
  if (oneColumn(body.x, scale)) return {std::max(body.x, 560.0F * scale), columnLength() * scale};
  return {body.x, std::max(body.y, 520.0F * scale)};
}

FlowPlaces layoutFlow(ImVec2 content, float scale, bool tallTool) {
  const auto px = [&](float length) { return length * scale; };
  const float gap = px(kFlowGap);
  Rect room{{px(kFlowMargin), px(kFlowMargin)}, {content.x - px(kFlowMargin), content.y - px(2)}};
  const bool wide = room.width() >= px(1180);
  const float steps = std::clamp(room.width() * 0.165F, px(238), px(264));
  const float inspector = std::clamp(room.width() * 0.21F, px(262), px(340));
  FlowPlaces places;
  if (oneColumn(content.x, scale)) {
    places.stepView = room.cutTop(px(kColumn.stepView), gap);
    places.tools = room.cutTop(px(kColumn.tools), gap);
    places.heads = room.cutTop(px(kColumn.heads), gap);
    places.steps = room.cutLeft(px(264), gap);
    places.inspector = room;
    return places;
  }
  // on a low page the strip shrinks first: one line per head
  const float strip =
      low(content.y, scale) ? px(kLowStrip) : std::clamp(room.height() * 0.2F, px(108), px(158));
  places.heads = room.cutBottom(strip, gap);
  places.steps = room.cutLeft(steps, gap);
  if (wide) places.inspector = room.cutRight(inspector, gap);
  // a tall tool takes more than the step view, except where both are low
  const float tall = low(content.y, scale) ? 0.45F : 0.52F;
  places.tools = room.cutTop(tallTool ? std::clamp(room.height() * tall, px(210), px(620))
                                      : std::clamp(room.height() * 0.44F, px(176), px(460)),
                             gap);
  places.stepView = room;
  return places;
}

std::unique_ptr<Page> makeFlowPage(const Cards& tools, const Playback& playback,
                                   CellEditing& editing, ScenesPanel& scenes, LiveModel& model) {
  return std::make_unique<FlowPage>(tools, playback, editing, scenes, model);
}

}  // namespace headscope::ui
