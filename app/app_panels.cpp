// Where the panels stand, and what they are given.
#include <algorithm>

#include "app/app_state.h"
#include "app/ui/head_grid.h"
#include "app/ui/heads_strip.h"
#include "app/ui/inspector_card.h"
#include "app/ui/mistake_badge.h"
#include "app/ui/status_bar.h"
#include "app/ui/steps_rail.h"
#include "app/ui/widgets.h"
#include "app/ui/window_layout.h"
#include "core/presets.h"

namespace headscope {

void App::State::keepViewValid() {
  const AttentionConfig& c = trace->config();
  view.head = std::clamp<Index>(view.head, 0, c.numHeads - 1);
  view.item = std::clamp<Index>(view.item, 0, c.batch - 1);
  const auto fits = [&](const CellRef& cell) { return exists(cell, c); };
  if (view.selected && !fits(*view.selected)) view.selected.reset();
  if (view.hovered && !fits(view.hovered->cell)) view.hovered.reset();
  if (!view.selected) return;
  // the chosen cell is one of the chosen head and item
  const TensorInfo& t = info(view.selected->tensor);
  if (t.perItem) view.selected->item = view.item;
  if (t.perHead) view.selected->head = t.kvHeads ? c.kvHead(view.head) : view.head;
}

void App::State::wholeWindow(const ui::Panel& panel) {
  const ui::Look& look = panel.look;
  const ui::WindowLayout layout = ui::layoutWindow({ImGui::GetIO().DisplaySize, topBar.height,
                                                    ui::tokenRowHeight(panel, tokenRow), look.scale,
                                                    view.tool != ui::Tool::flow});

  ui::beginBand("top bar", layout.topBar, look);
  const ui::TopBarState undo{history.canUndo(), history.canRedo(), history.undoName(),
                             history.redoName()};
  const ui::TopBarWishes wishes = ui::topBar(panel, topBar, undo);
  ui::endBand(layout.topBar, look);
  if (wishes.saveTrace) saveWhenDone = true;
  if (!wishes.openPreset.empty()) {
    attempt([&] {
      const WeightSource weights{history.current()->weightSource.init, 1, {}};
      panel.edits.push(Open{makePreset(presetByName(wishes.openPreset), weights, memoryBudget),
                            "preset " + wishes.openPreset});
      view.item = 0;
    });
  }

  ui::beginBand("tokens", layout.tokens, look);
  ui::SessionMenu session{store.name(), store.unsaved(history.current())};
  const std::string path = ui::tokenRow(panel, tokenRow, session);
  ui::endBand(layout.tokens, look);
  if (session.open) ui::askToOpen(sessionDialog);
  if (session.save || session.saveAs) saveSession(session.saveAs);
  if (session.scenes) view.inspectorTab = ui::InspectorTab::scenes;
  if (!path.empty()) dropped.emplace_back(path);

  ui::beginBody(layout, look, !editing.takesWheel);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const auto card = [&](const char* id, const ui::Box& box, auto&& fill) {
    if (box.size.x <= 0.0F || box.size.y <= 0.0F) return;
    const ImVec2 at(origin.x + box.at.x, origin.y + box.at.y);
    if (ui::beginCard(id, at, box.size, look)) fill();
    ui::endCard();
  };
  card("steps", layout.steps, [&] { ui::stepsRail(panel); });
  card("flow", layout.tools,
       [&] { ui::toolCard(panel, tools, stage.magnitudes, stage.explanations); });
  card("stage", layout.stage, [&] { ui::stagePanel(panel, stage, editing); });
  ui::ScenesPanel scenes{store.scenes()};
  card("inspector", layout.inspector,
       [&] { ui::inspectorCard(panel, stage.magnitudes, editing, scenes); });
  card("heads", layout.heads, [&] { ui::headsStrip(panel, stage.magnitudes); });
  ui::endBody();
  doSceneWishes(scenes.wishes);

  ui::statusBar(panel, {message, messageIsError, worker.progress()}, layout.status.at,
                layout.status.size);
}

void App::State::panels(const ui::Panel& panel) {
  if (view.focus == ui::Focus::window) {
    wholeWindow(panel);
    return;
  }
  // one panel alone, for a picture of it
  const float margin = panel.look.px(12);
  const bool badge =
      ui::mistakeBadge(panel, {margin, margin}, ImGui::GetIO().DisplaySize.x - 2 * margin) > 0.0F;
  const float top = margin + (badge ? ui::mistakeBadgeHeight(panel.look) + panel.look.px(6) : 0.0F);
  const ImVec2 size(ImGui::GetIO().DisplaySize.x - 2 * margin,
                    ImGui::GetIO().DisplaySize.y - margin - top);
  if (ui::beginCard("panel", {margin, top}, size, panel.look)) {
    switch (view.focus) {
      case ui::Focus::flow:
        ui::toolCard(panel, tools, stage.magnitudes, stage.explanations);
        break;
      case ui::Focus::stage:
        ui::stagePanel(panel, stage, editing);
        break;
      case ui::Focus::heads:
        ui::heading(panel.look, "Heads",
                    "weights 0 to 1, one scale · rows: queries, columns: keys");
        ui::headGrid(panel, stage.magnitudes, TensorId::weights);
        break;
      case ui::Focus::window:
        break;
    }
  }
  ui::endCard();
}

}  // namespace headscope
