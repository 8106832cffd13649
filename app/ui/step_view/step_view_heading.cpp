#include "app/ui/step_view/step_view_heading.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/step_view/step_view_items.h"
#include "app/ui/widgets.h"
#include "core/attention/steps/step.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr const char* kGradients = trLater("gradients");

/// The parts of a step that the user chooses between; empty where there is no choice.
std::vector<const char*> partChoices(StepId step) {
  std::vector<const char*> letters;
  for (const ProjectedPart& part : projectedParts().first(partCount(step))) {
    letters.push_back(part.letter);
  }
  return letters;
}
bool hasScopes(StepId step) { return step != StepId::output && step != StepId::concat; }

/// The width of the row of switches.
float stepViewChoicesWidth(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  float width = 0.0F;
  const auto parts = partChoices(panel.selection.step);
  if (!parts.empty()) width += choicesWidth(look, parts) + look.px(12);
  if (hasScopes(panel.selection.step)) {
    width += choicesWidth(look, {tr("this head"), tr("all heads")}) + look.px(12);
  }
  return width + buttonWidth(look, tr(kGradients));
}

/// Draws the row of switches at the cursor; `flows`: it wraps where it is narrow.
void stepViewChoices(const PanelContext& panel, bool flows) {
  const FrameContext& look = panel.look;
  const auto next = [&](float width) {
    flows ? flowOn(look, width, 12.0F) : ImGui::SameLine(0.0F, look.px(12));
  };
  if (partCount(panel.selection.step) > 0) {
    const auto parts = projectedParts();
    const auto chosen =
        static_cast<int>(&partShownBy(panel.selection.step, panel.selection.part) - parts.data());
    const int clicked = choices(look, "part", partChoices(panel.selection.step), chosen);
    if (clicked >= 0) panel.selection.part = parts[static_cast<std::size_t>(clicked)].part;
    next(hasScopes(panel.selection.step) ? choicesWidth(look, {tr("this head"), tr("all heads")})
                                         : buttonWidth(look, tr(kGradients)));
  }
  if (hasScopes(panel.selection.step)) {
    const int clicked = choices(look, "scope", {tr("this head"), tr("all heads")},
                                panel.selection.scope == StepViewScope::allHeads ? 1 : 0);
    if (clicked >= 0)
      panel.selection.scope = clicked == 1 ? StepViewScope::allHeads : StepViewScope::thisHead;
    next(buttonWidth(look, tr(kGradients)));
  }
  if (pill(look, tr(kGradients), panel.selection.gradients))
    showGradients(panel.view, !panel.selection.gradients);
  tip(look, tr("Shows gradients instead of the numbers (shift+G): of the chosen prediction's "
               "logit, if this is a layer of the page Model's pass, else of the output's sum"));
}

/// The number that the gradients are of, or why there are none yet.
std::string gradientSentence(const PanelContext& panel) {
  if (!panel.gradientsProblem.empty()) return std::string(panel.gradientsProblem);
  if (!panel.frame.gradientsThere) return tr("backward: being computed");
  return trFormat("backward: the gradient of {} with respect to each number", panel.gradientsOf);
}

}  // namespace

void stepViewHeading(const PanelContext& panel, bool perHead) {
  const FrameContext& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  const StepText text = step(panel.selection.step).text(c);
  const ImVec2 top = ImGui::GetCursorPos();
  // Stage counts places, several of which are one step
  const std::string title =
      panel.selection.page == kStagePage
          ? std::string(text.title)
          : trFormat("Step {} · {}", stepPlace(panel.selection.step, c) + 1, text.title);
  std::string explanation = stepSentence(step(panel.selection.step), panel.document);
  if (panel.selection.gradients) explanation = gradientSentence(panel);
  if (perHead) {
    const TensorId whose = partCount(panel.selection.step) > 0
                               ? partShownBy(panel.selection.step, panel.selection.part).part
                               : TensorId::q;
    explanation += ", " + headName(whose, headIn(whose, panel.selection.head, c), c);
  }
  const float switches = stepViewChoicesWidth(panel);
  const float free =
      ImGui::GetContentRegionAvail().x - textSize(look.fonts.semibold, title).x - look.px(24);
  const bool flows = free < switches;
  const float room = flows ? free : free - switches;
  if (panel.frame.gradientsThere && textSize(look.fonts.small, explanation).x > room) {
    explanation = trFormat("gradient of {}", panel.gradientsOf);
  }
  heading(look, title.c_str(),
          room > look.px(60) ? elided(look.fonts.small, explanation, room).c_str() : nullptr);
  const float below = ImGui::GetCursorPos().y;
  if (!flows) {
    ImGui::SetCursorPos({ImGui::GetWindowContentRegionMax().x - switches,
                         ImGui::GetStyle().WindowPadding.y - look.space.tight});
  }
  stepViewChoices(panel, flows);
  ImGui::SetCursorPos({top.x, (flows ? ImGui::GetCursorPos().y : below) + look.space.tight});
}

}  // namespace headscope::ui
