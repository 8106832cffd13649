// Stage note: a line below the matrices that says what cannot be seen of them, with what can be
// done about it: columns left out, one scale for two matrices, a mask that masks nothing.
#pragma once

#include <functional>
#include <string>

#include "app/ui/panel.h"
#include "app/ui/stage/used_columns.h"

namespace headscope::ui {

struct StageNote {
  std::string text;   // empty: there is nothing to say
  std::string offer;  // on a button; empty: none
  std::function<void(const PanelContext&)> accept = {};
  bool aside = false;  // left out where the stage is low
};

/// Of the step that is shown; `used`: the columns of X that tell something.
StageNote stageNote(const PanelContext& panel, const std::vector<StageItem>& items,
                    const std::optional<UsedColumns>& used);

float stageNoteHeight(const FrameContext& look, const StageNote& note);
void drawStageNote(const PanelContext& panel, const StageNote& note, const Rect& at);

}  // namespace headscope::ui
