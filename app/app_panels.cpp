// Where the panels stand, and what they are given.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/app_state.h"
#include "app/ui/heads/heads_page.h"
#include "app/ui/mistake_badge.h"
#include "app/ui/status_bar.h"
#include "app/ui/widgets.h"
#include "app/ui/window_layout.h"
#include "core/presets.h"

namespace headscope {

/// In the order of their buttons: a new page is a line here.
ui::Pages App::State::makePages() {
  std::vector<std::unique_ptr<ui::Page>> made;
  made.push_back(ui::makeFlowPage(tools, playback, editing, scenes));
  made.push_back(ui::makeHeadsPage());
  return ui::Pages(std::move(made));
}

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
  const ui::WindowLayout layout =
      ui::layoutWindow({ImGui::GetIO().DisplaySize, topBar.height,
                        ui::tokenRowHeight(panel, tokenRow), look.scale, offerHeight});
  offerTop = layout.tokens.b.y;

  ui::beginBand("top bar", layout.topBar, look);
  ui::offerCard(controls, "top bar", look);
  const ui::TopBarState undo{pages, history.canUndo(), history.canRedo(), history.undoName(),
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

  scenes = {&store.scenes(), {}};
  presenter.forgetMouse();
  const ui::Page& page = pages.open(view.page);
  const ImVec2 content = page.content(panel, layout.body.size());
  ui::beginBody(layout.body, content, look, !page.takesWheel());
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const std::vector<ui::Rect> places = page.layout(panel, content);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ui::Rect& place = places[i];
    if (place.empty()) continue;
    ui::Card& card = page.cards().at(i);
    const std::string id(card.text().id);
    if (ui::beginCard(id.c_str(), {origin.x + place.a.x, origin.y + place.a.y}, place.size(),
                      look)) {
      ui::offerCard(controls, id, look);
      card.draw(panel);
    }
    presenter.noteCard(page, card);
    ui::endCard();
  }
  ui::endBody();
  doSceneWishes(scenes.wishes);

  const std::string hint = ui::controlHint(controls);
  ui::statusBar(panel,
                {hint.empty() ? message : hint, hint.empty() && messageIsError, worker.progress()},
                layout.status);
}

/// One card alone: for a picture of it, and presented.
void App::State::oneCard(const ui::Panel& panel, std::string_view id, ui::Rect at) {
  const ui::Page* page = pages.withCard(id);
  if (page == nullptr) return;
  if (ui::mistakeBadge(panel, at.a, at.width()) > 0.0F) {
    at.cutTop(ui::mistakeBadgeHeight(panel.look), panel.look.space.small);
  }
  if (ui::beginCard("panel", at.a, at.size(), panel.look)) {
    ui::offerCard(controls, "panel", panel.look);
    page->cards().open(id).draw(panel);
  }
  ui::endCard();
}

void App::State::panels(const ui::Panel& panel) {
  ui::beginCards(controls);
  offerTop = 0.0F;
  ui::Rect room = ui::Rect{{0, 0}, ImGui::GetIO().DisplaySize}.inset(panel.look.px(12));
  if (presenter.on()) {
    presenter.followPage(view);
    const ui::Rect line = room.cutBottom(ui::Presenter::lineHeight(panel.look));
    oneCard(panel, presenter.card(), room);
    presenter.drawLine(panel, line);
  } else if (!view.focus.empty()) {
    oneCard(panel, view.focus, room);
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
