// Stage note: a line below the matrices on a fact that they do not show, with a button to change
// it: columns left out, one scale for two matrices, a mask that masks nothing.
#pragma once

#include <functional>
#include <string>

#include "app/ui/frame_context.h"
#include "app/ui/stage/used_columns.h"

namespace headscope::ui {

struct PanelContext;

struct StageNote {
  std::string text;   // empty: no note
  std::string offer;  // the label of the button; empty: no button
  std::function<void(const PanelContext&)> accept = {};
  bool aside = false;  // whether it is left out where the stage is low
};

/// Returns the note of the current step. `used`: the columns of X that carry information.
StageNote stageNote(const PanelContext& panel, const std::vector<StageItem>& items,
                    const std::optional<UsedColumns>& used);

float stageNoteHeight(const FrameContext& look, const StageNote& note);
void drawStageNote(const PanelContext& panel, const StageNote& note, const Rect& at);

}  // namespace headscope::ui
