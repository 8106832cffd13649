// Flow page: every step of one pass, with the steps, the tools above the step view, the inspector,
// and a strip of all heads.
#pragma once

#include <memory>

#include "app/live_model.h"
#include "app/ui/cells/cell_editing.h"
#include "app/ui/page.h"
#include "app/ui/scenes_panel.h"
#include "app/ui/timeline/playback.h"

namespace headscope::ui {

/// The card of the nine steps, with their formulas and current shapes, and the playback.
std::unique_ptr<Card> makeStepsCard(const Playback& playback);
/// The card of the inspected cell with its value and arithmetic, the history and the scenes.
std::unique_ptr<Card> makeInspectorCard(CellEditing& editing, ScenesPanel& scenes);

/// Draws the inspector's history: every state that undo or redo can reach, and the pins.
void historyPanel(const PanelContext& panel);

/// The places of the cards in content of this size. `tallTool`: the open tool needs more than the
/// usual share of the height.
struct FlowPlaces {
  Rect steps, tools, stepView, inspector, heads;  // no inspector in a narrow window
};
FlowPlaces layoutFlow(ImVec2 content, float scale, bool tallTool);
ImVec2 flowContent(ImVec2 body, float scale);

/// Creates the page. The arguments must outlive it.
std::unique_ptr<Page> makeFlowPage(const Cards& tools, const Playback& playback,
                                   CellEditing& editing, ScenesPanel& scenes, LiveModel& model);

}  // namespace headscope::ui
