#include "app/ui/timeline/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/ui/sentence_strip.h"
#include "app/ui/widgets.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

void drawStepSegments(const FrameContext& look, const Timeline& timeline, StepId current, ImVec2 a,
                      ImVec2 b) {
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto x = [&](double time) {
    return a.x + (b.x - a.x) * static_cast<float>(time / timeline.length());
  };
  const float gap = look.space.hair;
  for (const StepId step : timeline.steps()) {
    const float from = x(timeline.stepStart(step));
    const float to = x(timeline.stepEnd(step));
    list->AddRectFilled({from, a.y}, {to - gap, b.y}, step == current ? t.accentSoft : t.fieldHover,
                        look.space.thin);
  }
  // ticks are drawn where they do not merge
  float drawn = a.x;
  const float apart = look.px(3);
  for (const TimelineSegment& moment : timeline.moments()) {
    const float at = x(moment.start);
    if (at - drawn < apart) continue;
    list->AddLine({at, b.y - look.space.tight}, {at, b.y}, withAlpha(t.textMuted, 0.45F));
    drawn = at;
  }
}

}  // namespace

float scrubBarHeight(const FrameContext& look) { return look.space.large; }

std::string clockText(double time) {
  const int seconds = static_cast<int>(std::floor(time));
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

void scrubBar(const PanelContext& panel, const Playback& playback) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const Timeline& timeline = playback.timeline;
  const ImVec2 a = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, scrubBarHeight(look));
  if (size.x < 1.0F || timeline.length() <= 0.0) return;
  const ImVec2 b(a.x + size.x, a.y + size.y);
  pictureArea("timeline", size);
  const double pointed =
      timeline.length() *
      static_cast<double>(std::clamp((ImGui::GetIO().MousePos.x - a.x) / size.x, 0.0F, 1.0F));
  if (ImGui::IsItemActive()) panel.selection.playTime = pointed;
  const TimelineSegment& under = timeline.moments()[timeline.at(pointed)];
  tip(look, trFormat("{} {} · {} of {}", stepPlace(under.step, panel.trace.config()) + 1,
                     step(under.step).text(panel.trace.config()).title, clockText(pointed),
                     clockText(timeline.length())));

  drawStepSegments(look, timeline, panel.selection.step, a, b);
  if (!panel.selection.playTime) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float x = a.x + size.x * static_cast<float>(*panel.selection.playTime / timeline.length());
  const float half = look.space.thin;
  list->AddRectFilled({a.x, a.y}, {x, b.y}, withAlpha(t.accent, 0.35F), look.space.thin);
  list->AddRectFilled({x - half, a.y - look.space.thin}, {x + half, b.y + look.space.thin},
                      t.accent, half);
}

float narrationHeight(const FrameContext& look, float room) {
  return std::min(fontSize(look.fonts.title) * 2.0F + look.px(16), room * 0.4F);
}

void narrationStrip(const FrameContext& look, std::string_view text, const Rect& at) {
  drawSentenceStrip(look, {asRichText(text)}, at);
}

}  // namespace headscope::ui
