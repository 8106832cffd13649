// Flow page: every step of one pass: the steps, the tools above the stage, the inspector, and all
// heads in a strip.
#pragma once

#include <memory>

#include "app/live_model.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/page.h"
#include "app/ui/scenes_panel.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// The nine steps with their formula and the shape they give now; playing through them.
std::unique_ptr<Card> makeStepsCard(const Playback& playback);
/// The cell looked at with its value and arithmetic, the history, the scenes.
std::unique_ptr<Card> makeInspectorCard(CellEditing& editing, ScenesPanel& scenes);

/// The inspector's history: every state there is to go back to or forth to, and what is pinned.
void historyPanel(const PanelContext& panel);

/// Where its cards stand in content of this size. `tallTool`: the tool that is open wants more than
/// its usual share of the height.
struct FlowPlaces {
  Rect steps, tools, stage, inspector, heads;  // no inspector in a narrow window
};
FlowPlaces layoutFlow(ImVec2 content, float scale, bool tallTool);
ImVec2 flowContent(ImVec2 body, float scale);

/// What it is given must outlive it.
std::unique_ptr<Page> makeFlowPage(const Cards& tools, const Playback& playback,
                                   CellEditing& editing, ScenesPanel& scenes, LiveModel& model);

}  // namespace headscope::ui
