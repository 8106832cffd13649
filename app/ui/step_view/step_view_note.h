// Step view note: a line below the matrices on a fact that they do not show, with a button to
// change it: columns left out, one scale for two matrices, a mask that masks nothing.
#pragma once

#include <functional>
#include <string>

#include "app/ui/frame_context.h"
#include "app/ui/step_view/used_columns.h"

namespace headscope::ui {

struct PanelContext;

struct StepViewNote {
  std::string text;   // empty: no note
  std::string offer;  // the label of the button; empty: no button
  std::function<void(const PanelContext&)> accept = {};
  std::string brief = {};  // stands where there is no room for the whole text; empty: a part of it
  bool aside = false;      // whether it is left out where the step view is low
};

/// Returns the note of the current step. `used`: the columns of X that carry information.
StepViewNote stepViewNote(const PanelContext& panel, const std::vector<StepViewItem>& items,
                          const std::optional<UsedColumns>& used);

float stepViewNoteHeight(const FrameContext& look, const StepViewNote& note);
void drawStepViewNote(const PanelContext& panel, const StepViewNote& note, const Rect& at);

}  // namespace headscope::ui
