// Where the panels stand, and what they are given.
#include <algorithm>
#include <functional>

#include "app/app_state.h"
#include "app/ui/inspector.h"
#include "app/ui/mistake_badge.h"
#include "app/ui/stage/head_panels.h"
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
  if (t.perHead) view.selected->head = headIn(view.selected->tensor, view.head, c);
}

void App::State::wholeWindow(const ui::Panel& panel) {
  const ui::Look& look = panel.look;
  ui::WindowLayout layout = ui::layoutWindow({ImGui::GetIO().DisplaySize, topBar.height,
                                              ui::tokenRowHeight(panel, tokenRow), look.scale,
                                              tools.open(view.tool).text().tall, offerHeight});
  offerTop = layout.tokens.at.y + layout.tokens.size.y;
  if (view.page == ui::Page::heads) {
    layout.content =
        ui::headsContent(layout.body.size, look.scale, ImGui::GetStyle().ScrollbarSize, view.heads);
  }

  ui::beginBand("top bar", layout.topBar, look);
  ui::offerCard(controls, "top bar", look);
  const ui::TopBarState undo{history.canUndo(), history.canRedo(), history.undoName(),
                             history.redoName()};
  const ui::TopBarWishes wishes = ui::topBar(panel, topBar, undo);
  ui::endBand(layout.topBar, look);
  if (wishes.saveTrace) saveWhenDone = true;
  if (wishes.exportAs) ui::askToExport(exportDialog, *wishes.exportAs);
  if (wishes.help) ui::openHelp(help);
  if (!wishes.openPreset.empty()) {
    attempt([&] {
      // after loaded weights, as at the start: heads worth looking at
      const WeightSource& now = history.current()->weightSource;
      const WeightSource weights{now.drawn() ? now.init : WeightInit::designed, 1, {}};
      panel.edits.push(Open{makePreset(presetByName(wishes.openPreset), weights, memoryBudget),
                            "preset " + wishes.openPreset});
      view.item = 0;
    });
  }

  ui::beginBand("tokens", layout.tokens, look);
  ui::offerCard(controls, "tokens", look);
  ui::SessionMenu session{store.name(), store.unsaved(history.current())};
  const std::string path = ui::tokenRow(panel, tokenRow, session);
  ui::endBand(layout.tokens, look);
  if (session.open) ui::askToOpen(sessionDialog);
  if (session.save || session.saveAs) saveSession(session.saveAs);
  if (session.scenes) view.inspectorTab = ui::InspectorTab::scenes;
  if (!path.empty()) dropped.emplace_back(path);

  ui::forgetMouse(presenter);
  const bool onHeads = view.page == ui::Page::heads && headsPage.takesWheel();
  ui::beginBody(layout, look, !editing.takesWheel && !onHeads);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ui::DrawCard card = [&](const char* id, const ui::Box& box,
                                const std::function<void()>& fill) {
    if (box.size.x <= 0.0F || box.size.y <= 0.0F) return;
    const ImVec2 at(origin.x + box.at.x, origin.y + box.at.y);
    if (ui::beginCard(id, at, box.size, look)) {
      ui::offerCard(controls, id, look);
      fill();
    }
    ui::noteCard(presenter, id);
    ui::endCard();
  };
  ui::ScenesPanel scenes{store.scenes()};
  const ui::MeasuredHeads heads = ui::measuredHeads(panel);
  if (view.page == ui::Page::heads) {
    headsPage.draw(panel, card, layout.content);
  } else {
    card("steps", layout.steps, [&] { ui::stepsRail(panel, playback); });
    card("flow", layout.tools, [&] { ui::toolCard(panel, tools); });
    card("stage", layout.stage, [&] { ui::stagePanel(panel, arithmetic, editing, playback); });
    card("inspector", layout.inspector,
         [&] { ui::inspectorCard(panel, magnitudes, editing, scenes, heads); });
    card("heads", layout.heads, [&] { ui::headsStrip(panel, magnitudes, heads); });
  }
  ui::endBody();
  doSceneWishes(scenes.wishes);

  const std::string hint = ui::controlHint(controls);
  ui::statusBar(panel,
                {hint.empty() ? message : hint, hint.empty() && messageIsError, worker.progress()},
                layout.status.at, layout.status.size);
}

/// One panel alone: for a picture of it, and presented.
void App::State::onePanel(const ui::Panel& panel, ui::Focus which, ImVec2 at, ImVec2 size) {
  if (ui::mistakeBadge(panel, at, size.x) > 0.0F) {
    const float line = ui::mistakeBadgeHeight(panel.look) + panel.look.px(6);
    at.y += line;
    size.y -= line;
  }
  if (ui::beginCard("panel", at, size, panel.look)) {
    ui::offerCard(controls, "panel", panel.look);
    switch (which) {
      case ui::Focus::flow:
        ui::toolCard(panel, tools);
        break;
      case ui::Focus::stage:
        ui::stagePanel(panel, arithmetic, editing, playback);
        break;
      case ui::Focus::heads:
        ui::heading(panel.look, "Heads",
                    "weights 0 to 1, one scale · rows: queries, columns: keys");
        ui::headGrid(panel, magnitudes, TensorId::weights);
        break;
      case ui::Focus::window:
        break;
      default:
        headsPage.drawAlone(panel, which);
        break;
    }
  }
  ui::endCard();
}

void App::State::panels(const ui::Panel& panel) {
  ui::beginCards(controls);
  offerTop = 0.0F;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float margin = panel.look.px(12);
  const ImVec2 size(display.x - 2 * margin, display.y - 2 * margin);
  if (presenter.on) {
    ui::followPage(presenter, view.page);
    const float line = ui::presenterLineHeight(panel.look);
    onePanel(panel, presenter.panel, {margin, margin}, {size.x, size.y - line});
    ui::presenterLine(panel, presenter, {margin, display.y - margin - line}, {size.x, line});
  } else if (view.focus != ui::Focus::window) {
    onePanel(panel, view.focus, {margin, margin}, size);
  } else {
    wholeWindow(panel);
  }
}

/// What stands over the panels.
void App::State::overlays(const ui::Panel& panel) {
  if (auto request = ui::exportDialog(panel, exportDialog, tools.open(view.tool).text().title)) {
    exportAsked = std::move(request);
    wantsFrame = true;
  }
  ui::ringControl(controls, panel.look);
  ui::helpOverlay(panel.look, help, tools);
  // arrows and space are then for the dialog's own items
  ImGuiIO& io = ImGui::GetIO();
  if (exportDialog.open) io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
}

}  // namespace headscope
