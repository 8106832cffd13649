// Steps rail: the steps with their formulas and current shapes, and the timeline below.
#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/flow_page.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/rich_text.h"
#include "app/ui/step_looks.h"
#include "app/ui/timeline/timeline_view.h"
#include "app/ui/widgets.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// The shape as shown: without the batch axis where it is 1.
std::string shownShape(Shape shape) {
  if (shape.front() == 1) shape = shape.last(shape.size() - 1);
  return toString(shape);
}

/// The whole parts of a formula that fit; empty where none does.
std::string formulaIn(const FrameContext& look, const std::string& formula, float width) {
  if (richTextSize(look.fonts, look.fonts.mono, formula).x <= width) return formula;
  const std::string parts = wholeParts(look.fonts.mono, formula, width);
  return parts.ends_with("…") ? std::string() : parts;
}

void stepRow(const PanelContext& panel, const Step& s, ImVec2 at, ImVec2 size, float cardLeft) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const StepText text = s.text(panel.trace.config());
  const bool chosen = panel.selection.step == s.id();
  ImDrawList* list = ImGui::GetWindowDrawList();

  ImGui::SetCursorScreenPos({cardLeft, at.y});
  ImGui::PushID(static_cast<int>(s.id()));
  const float full = size.x + (at.x - cardLeft) * 1.6F;
  if (ImGui::InvisibleButton("step", {full, size.y})) {
    panel.selection.step = s.id();
    leaveTimeline(panel.view);
  }
  tip(look, stepSentence(s, panel.trace.document()) + "\n" + text.pytorchLine() + "\n" +
                termText(lookOf(s.id()).term));
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  if (chosen || hovered) {
    list->AddRectFilled({cardLeft, at.y}, {cardLeft + full, at.y + size.y},
                        chosen ? t.accentSoft : t.field);
    if (chosen) {
      list->AddRectFilled({cardLeft, at.y}, {cardLeft + look.px(3), at.y + size.y}, t.accent);
    }
  }
  const float radius = look.px(11);
  const bool twoLines = size.y > look.px(32);
  const float apart = std::min(look.px(20), size.y * 0.56F);  // distance of the two lines
  const float line1 = at.y + size.y * 0.5F - (twoLines ? apart * 0.5F : 0.0F);
  const ImVec2 disc(at.x + radius, twoLines ? line1 + look.space.hair : line1);
  list->AddCircleFilled(disc, radius, chosen ? t.accent : t.field);
  drawTextCentred(list, look.fonts.small, disc, chosen ? t.textOnAccent : t.text,
                  std::to_string(stepPlace(s.id(), panel.trace.config()) + 1));

  const float left = at.x + 2 * radius + look.px(12);
  const float right = at.x + size.x;
  const std::string shape = shownShape(s.outputShapes(panel.trace.config()).front().shape);
  const ImVec2 shapeSize = textSize(look.fonts.monoSmall, shape);
  ImFont* titleFont = chosen ? look.fonts.semibold : look.fonts.regular;
  const ImVec2 titleSize = textSize(titleFont, text.title);
  drawText(list, titleFont, {left, line1 - titleSize.y * 0.5F}, t.text, text.title);
  underlineTerm(look, {left, line1 + titleSize.y * 0.5F}, titleSize.x);
  // on the title's line where there is room, else on the formula's
  const bool fits = left + titleSize.x + look.px(8) + shapeSize.x <= right;
  const float line2 = line1 + apart;
  if (fits || twoLines) {
    drawText(list, look.fonts.monoSmall,
             {right - shapeSize.x, (fits ? line1 : line2) - shapeSize.y * 0.5F}, t.textMuted,
             shape);
  }
  if (!twoLines) return;
  const float height = fontSize(look.fonts.mono);
  const float end = fits ? right : right - shapeSize.x - look.space.small;
  drawRichText(list, look.fonts, look.fonts.mono, {left, line2 - height * 0.5F}, t.textMuted,
               formulaIn(look, text.formula, end - left));
}

void transport(const PanelContext& panel, const Playback& playback) {
  const FrameContext& look = panel.look;
  const bool played = panel.selection.playTime.has_value();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(look.space.small, ImGui::GetStyle().FramePadding.y));
  if (pill(look, "|◀")) goToEnd(panel.view, playback, false);
  tip(look, played ? tr("To the start (Home)") : tr("First step (Home)"));
  ImGui::SameLine(0.0F, look.space.tight);
  if (pill(look, "◀")) goBy(panel.view, playback, -1);
  tip(look, played ? tr("One moment back (←); one step back (Shift ←)") : tr("Step back (←)"));
  ImGui::SameLine(0.0F, look.space.tight);
  if (primaryPill(look, panel.frame.playing ? tr("Pause") : tr("Play"), true, look.px(54))) {
    togglePlay(panel.view, playback);
  }
  tip(look, tr("Play the steps number by number (space); Escape leaves the timeline"));
  ImGui::SameLine(0.0F, look.space.tight);
  if (pill(look, "▶")) goBy(panel.view, playback, 1);
  tip(look, played ? tr("One moment forward (→); one step forward (Shift →)") : tr("Step on (→)"));
  ImGui::SameLine(0.0F, look.space.tight);
  if (pill(look, "▶|")) goToEnd(panel.view, playback, true);
  tip(look, played ? tr("To the end (End)") : tr("Last step (End)"));
  ImGui::PopStyleVar();
  if (!played) return;
  const std::string clock = clockText(*panel.selection.playTime);
  const ImVec2 size = textSize(look.fonts.monoSmall, clock);
  const float top = ImGui::GetItemRectMin().y;
  drawText(ImGui::GetWindowDrawList(), look.fonts.monoSmall,
           {right - size.x, top + (ImGui::GetItemRectSize().y - size.y) * 0.5F},
           look.theme.textMuted, clock);
}

void speedRow(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  inlineLabel(look, look.fonts.small, look.theme.textMuted, tr("speed"));
  const float figure = textSize(look.fonts.monoSmall, "0.00×").x + look.space.small;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - figure);
  ImGui::SliderFloat("##speed", &panel.preferences.playSpeed, 0.25F, 4.0F, "",
                     ImGuiSliderFlags_Logarithmic);
  ImGui::SameLine(0.0F, look.space.small);
  inlineLabel(look, look.fonts.monoSmall, look.theme.textMuted,
              fmt::format("{:.2f}×", panel.preferences.playSpeed));
}

void stepsRail(const PanelContext& panel, const Playback& playback) {
  const FrameContext& look = panel.look;
  heading(look, tr("Steps"), tr("← → space"));
  const float cardLeft = ImGui::GetWindowPos().x + look.px(8);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float footer = ImGui::GetFrameHeight() * 2 + scrubBarHeight(look) + look.px(34);
  const float top = origin.y + look.space.thin;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto steps = stepsOf(panel.trace.config());
  const float height =
      std::clamp((room.y - footer) / static_cast<float>(steps.size()), look.px(26), look.px(60));
  float y = top;
  for (const Step* s : steps) {
    stepRow(panel, *s, {origin.x, y}, {room.x, height}, cardLeft);
    y += height;
  }
  ImGui::SetCursorScreenPos({origin.x, y + look.space.tight});
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine({origin.x, y + look.space.tight}, {origin.x + room.x, y + look.space.tight},
                look.theme.divider);
  ImGui::Dummy({1, look.space.small});
  scrubBar(panel, playback);
  transport(panel, playback);
  speedRow(panel);
}

class StepsCard final : public Card {
 public:
  explicit StepsCard(const Playback& playback)
      : Card({.id = "steps",
              .title = tr("Steps"),
              .about = tr("the steps of the pass"),
              .alone = false}),
        playback_(playback) {}
  void draw(const PanelContext& panel) override { stepsRail(panel, playback_); }

 private:
  const Playback& playback_;
};

}  // namespace

std::unique_ptr<Card> makeStepsCard(const Playback& playback) {
  return std::make_unique<StepsCard>(playback);
}

}  // namespace headscope::ui
