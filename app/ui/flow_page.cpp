#include "app/ui/flow_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/head_purposes.h"
#include "app/ui/rich_text.h"
#include "app/ui/stage/head_panels.h"
#include "app/ui/stage/stage.h"
#include "app/ui/tools/tools.h"
#include "core/steps/step.h"

namespace headscope::ui {
namespace {

constexpr float kFlowMargin = 14.0F;  // of the page, at scale 1
constexpr float kFlowGap = 10.0F;     // between its cards

class FlowPage final : public Page {
 public:
  FlowPage(const Cards& tools, const Playback& playback, CellEditing& editing, ScenesPanel& scenes)
      : Page({kFlowPage, "Flow", "Every step of one pass", kStageCard, kToolsCard},
             Cards::of(makeStepsCard(playback), makeToolsCard(tools),
                       makeStageCard(editing, playback), makeInspectorCard(editing, scenes),
                       makeHeadsStrip())),
        tools_(tools),
        playback_(playback) {}

  ImVec2 content(const Panel& panel, ImVec2 body) const override {
    return flowContent(body, panel.look.scale);
  }
  std::vector<Rect> layout(const Panel& panel, ImVec2 content) const override {
    const bool tallTool = tools_.open(panel.view.tool).text().tall;
    const FlowPlaces places = layoutFlow(content, panel.look.scale, tallTool);
    return {places.steps, places.tools, places.stage, places.inspector, places.heads};
  }
  std::string placeInWords(const Panel& panel, std::string_view card) const override {
    const ViewState& view = panel.view;
    const AttentionConfig& c = panel.trace.config();
    const std::string where =
        fmt::format("Step {} · {}", stepPlace(view.step, c) + 1, step(view.step).text(c).title);
    return card == kStripCard ? where : fmt::format("{} · {}", where, namedHead(panel));
  }
  std::string keysInWords(const ViewState& view) const override {
    return fmt::format("← → step · space {}", view.playing ? "halts" : "plays");
  }
  /// What the timeline tells; off it what it would begin the step with.
  std::string sentenceInWords(const Panel& panel, std::string_view card) const override {
    const bool told = panel.view.playTime.has_value();
    if (told) return card == kStageCard ? std::string() : asRichText(playback_.narration);
    return asRichText(narrationOf(panel, playback_));
  }

 private:
  const Cards& tools_;
  const Playback& playback_;
};

}  // namespace

ImVec2 flowContent(ImVec2 body, float scale) {
  // below these the body scrolls instead of squeezing its cards
  return {std::max(body.x, 960.0F * scale), std::max(body.y, 520.0F * scale)};
}

FlowPlaces layoutFlow(ImVec2 content, float scale, bool tallTool) {
  const auto px = [&](float length) { return length * scale; };
  const float gap = px(kFlowGap);
  Rect room{{px(kFlowMargin), px(kFlowMargin)}, {content.x - px(kFlowMargin), content.y - px(2)}};
  const bool wide = room.width() >= px(1180);
  const float steps = std::clamp(room.width() * 0.165F, px(238), px(264));
  const float inspector = std::clamp(room.width() * 0.21F, px(262), px(340));
  FlowPlaces places;
  places.heads = room.cutBottom(std::clamp(room.height() * 0.2F, px(108), px(158)), gap);
  places.steps = room.cutLeft(steps, gap);
  if (wide) places.inspector = room.cutRight(inspector, gap);
  places.tools = room.cutTop(tallTool ? std::clamp(room.height() * 0.52F, px(210), px(620))
                                      : std::clamp(room.height() * 0.44F, px(176), px(460)),
                             gap);
  places.stage = room;
  return places;
}

std::unique_ptr<Page> makeFlowPage(const Cards& tools, const Playback& playback,
                                   CellEditing& editing, ScenesPanel& scenes) {
  return std::make_unique<FlowPage>(tools, playback, editing, scenes);
}

}  // namespace headscope::ui
