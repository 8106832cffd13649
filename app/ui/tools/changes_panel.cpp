#include "app/ui/tools/changes_panel.h"

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/mistakes.h"

namespace headscope::ui {
namespace {

/// Against which state.
void chooser(const Panel& panel) {
  const Look& look = panel.look;
  ViewState& view = panel.view;
  const bool mistaken = !mistakesOn(panel.document.config).empty();
  const bool right = view.against == Against::rightWay && mistaken;
  const bool state = view.against == Against::state;
  inlineLabel(look, look.fonts.small, look.theme.textMuted, "against");
  if (pill(look, "last edit", !right && !state)) view.against = Against::lastEdit;
  tip(look, "The state before the last edit");
  ImGui::SameLine(0.0F, look.px(4));
  if (pill(look, "start", state && panel.reference.name == "start")) {
    panel.edits.compareWith = 0;
  }
  tip(look, "The oldest state of the history");
  ImGui::SameLine(0.0F, look.px(4));
  if (pill(look, "another state", state && panel.reference.name != "start")) {
    view.inspectorTab = InspectorTab::history;
  }
  tip(look, "Opens the history: press 'compare' beside a state there");
  if (mistaken) {
    ImGui::SameLine(0.0F, look.px(4));
    if (pill(look, "the right way", right)) view.against = Against::rightWay;
    tip(look, "The same without the mistakes that are on");
  }
  ImGui::SameLine(0.0F, look.px(10));
  const float room = ImGui::GetContentRegionAvail().x;
  if (!panel.reference.name.empty() && room > look.px(40)) {
    inlineLabel(look, look.fonts.small, look.theme.text,
                elided(look.fonts.small, panel.reference.name, room));
  }
  ImGui::NewLine();
}

/// Why there is nothing to compare with.
std::string whyNothing(const Panel& panel) {
  const Reference& reference = panel.reference;
  if (!reference.problem.empty()) return reference.problem;
  if (!reference.name.empty()) return "computing …";
  return "Nothing was edited yet. Change any number, weight or setting: what it changes shows "
         "here.";
}

}  // namespace

void changesPanel(const Panel& panel, ChangesMemory& memory) {
  const Look& look = panel.look;
  chooser(panel);
  if (panel.reference.trace == nullptr) {
    ImGui::PushTextWrapPos(0.0F);
    label(look.fonts.regular,
          panel.reference.problem.empty() ? look.theme.textMuted : look.theme.bad,
          whyNothing(panel));
    ImGui::PopTextWrapPos();
    return;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = look.px(20);
  const float bars = std::clamp(room.x * 0.25F, look.px(150), look.px(300));
  const ComparedPasses passes{{panel.trace, 0, "after"},
                              {*panel.reference.trace, panel.reference.salt, "before"}};
  const StageItem item = resultOf(panel.view.step, panel.trace.config(), panel.view);
  comparedMatrices(panel, memory.matrices, passes, item, at, {room.x - bars - gap, room.y});
  outputChangeBars(panel, memory.outputs, {at.x + room.x - bars, at.y}, {bars, room.y});
}

}  // namespace headscope::ui
