// The positions of the panels and their inputs.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/app_state.h"
#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/heads/heads_page.h"
#include "app/ui/learn/learn_page.h"
#include "app/ui/model/model_page.h"
#include "app/ui/panel.h"
#include "app/ui/parts/tab_row.h"
#include "app/ui/speaker_notes.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/status_bar.h"
#include "app/ui/tip_place.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "app/ui/window_layout.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope {

/// Creates all pages in the order of their buttons; a new page is a line here.
ui::Pages App::State::makePages() {
  std::vector<std::unique_ptr<ui::Page>> made;
  made.push_back(ui::makeStagePage(tokenRow, editing, playback));
  made.push_back(ui::makeFlowPage(tools, playback, editing, scenes, model.live));
  made.push_back(ui::makeHeadsPage());
  made.push_back(ui::makeTrainPage(training, language, shapes, headCounts, scaleStudy));
  made.push_back(ui::makeModelPage(model.live, model.generation));
  made.push_back(ui::makeLearnPage(lesson));
  return ui::Pages(std::move(made));
}

void App::State::keepViewValid() {
  const Trace& trace = *documents.trace();
  const AttentionConfig& c = trace.config();
  view.selection.head = std::clamp<Index>(view.selection.head, 0, trace.numHeads() - 1);
  view.selection.item = std::clamp<Index>(view.selection.item, 0, trace.batch() - 1);
  const auto steps = stepsOf(c);
  if (std::find(steps.begin(), steps.end(), &step(view.selection.step)) == steps.end()) {
    view.selection.step = StepId::score;  // the pass no longer has the step
  }
  const auto fits = [&](const CellRef& cell) { return exists(cell, c); };
  // the chosen cell belongs to the shown tensors
  if (view.selection.cell) view.selection.cell->gradient = view.frame.gradientsThere;
  if (view.frame.hovered && view.frame.hovered->cell.gradient != view.frame.gradientsThere)
    view.frame.hovered.reset();
  if (view.selection.cell && !fits(*view.selection.cell)) view.selection.cell.reset();
  if (view.frame.hovered && !fits(view.frame.hovered->cell)) view.frame.hovered.reset();
  if (!view.selection.cell) {
    cellBefore.reset();
    return;
  }
  // the chosen cell belongs to the chosen head and item
  const TensorInfo& t = info(view.selection.cell->tensor);
  if (t.perItem) view.selection.cell->item = view.selection.item;
  if (t.perHead)
    view.selection.cell->head = headIn(view.selection.cell->tensor, view.selection.head, c);
  // a cell among the columns of a head moves with the choice of another head
  if (cellBefore == view.selection.cell && headBefore != view.selection.head) {
    const CellRef moved = ui::inHead(*view.selection.cell, c, headBefore, view.selection.head);
    if (fits(moved)) view.selection.cell = moved;
  }
  cellBefore = view.selection.cell;
  headBefore = view.selection.head;
}

void App::State::wholeWindow(const ui::PanelContext& panel) {
  const ui::Page& page = pages.open(view.selection.page);
  const ui::WindowLayout layout =
      ui::layoutWindow({ImGui::GetIO().DisplaySize, topBar.height(),
                        page.showsDocument(view) ? tokenRow.height(panel) : 0.0F, panel.look.scale,
                        sessions.offerHeight()});
  offerTop = layout.tokens.b.y;
  bars(panel, layout.topBar, layout.tokens);
  const formats::SavedScene* scene = sessions.sceneShown();
  scenes = {&sessions.store().scenes(), scene != nullptr ? scene->number : 0};
  presenter.forgetMouse();
  if (ui::isUpright(ImGui::GetIO().DisplaySize, panel.look.scale)) {
    cardByCard(panel, layout.body);
  } else {
    ui::Rect room = layout.body;
    sidePanel(panel, room);
    body(panel, room);
  }
  documents.attempt([&] { progress.keep(lesson.done()); });
  const std::string hint = ui::controlHint(controls);
  const DocumentEditor::Message& said = documents.message();
  ui::Status status{hint.empty() ? said.text : hint, hint.empty() && said.isError,
                    documents.progress(), page.figuresInWords(panel), learningNow()};
  status.toTry = firstLook.inWords(panel);
  status.notAutosaved = sessions.whyNotAutosaved();
  ui::statusBar(panel, status, layout.status);
}

std::optional<ui::Status::Learning> App::State::learningNow() const {
  if (documents.learning()) {
    const LayerLearning::Progress now = documents.learned();
    return ui::Status::Learning{now.step, now.steps};
  }
  if (const auto& film = exports.film()) {
    return ui::Status::Learning{film->drawn, film->pictures, tr("Making a film"),
                                tr("Stops the film; no file is written."), "picture"};
  }
  const auto link = sessions.linkTask().progress();
  if (!link) return std::nullopt;
  return ui::Status::Learning{link->step, link->steps, tr("Learning the heads of the link"),
                              tr("Stops learning; no link is copied or opened.")};
}

void App::State::bars(const ui::PanelContext& panel, const ui::Rect& top, const ui::Rect& tokens) {
  const ui::FrameContext& look = panel.look;
  ui::beginBand("top bar", top, look);
  ui::offerCard(controls, "top bar", look);
  const History& history = documents.history();
  const bool ofModel = view.selection.page == ui::kModelPage;
  const ui::TopBarState state =
      trainIsShown() ? ui::TopBarState{pages, trainHistory.canUndo(), trainHistory.canRedo(),
                                       trainHistory.undoName(), trainHistory.redoName()}
      : ofModel      ? ui::TopBarState{pages, model.live.canUndo(), model.live.canRedo(),
                                  model.live.undoName(), model.live.redoName()}
                : ui::TopBarState{pages, history.canUndo(), history.canRedo(), history.undoName(),
                                  history.redoName()};
  topBar.draw(panel, state);
  ui::endBand(top, look);
  if (std::exchange(view.frame.asksForSentence, false)) {
    if (view.selection.page == ui::kStagePage) view.frame.inSight = ui::kSentenceCard;
    tokenRow.edit(panel);
  }

  view.frame.typesText = false;
  if (tokens.empty()) return;
  ui::beginBand("tokens", tokens, look);
  ui::offerCard(controls, "tokens", look);
  tokenRow.draw(panel, sessions.menu());
  ui::endBand(tokens, look);
}

/// Draws the open lesson, or the start panel, at the left; the page gets the rest of the room.
void App::State::sidePanel(const ui::PanelContext& panel, ui::Rect& room) {
  const ui::FrameContext& look = panel.look;
  if (!lesson.open() && !startShown()) return;
  ui::Rect at = room.cutLeft(ui::lessonWidth(look, room.width()), 0.0F);
  at.a = {at.a.x + look.px(14), at.a.y + look.px(14)};
  at.b.y -= look.px(2);
  guide(panel, at);
}

/// Draws the card of the open lesson, or the start panel.
void App::State::guide(const ui::PanelContext& panel, const ui::Rect& at) {
  const ui::FrameContext& look = panel.look;
  const char* id = lesson.open() ? "lesson" : "start";
  if (ui::beginCard(id, at.a, at.size(), look)) {
    ui::offerCard(controls, id, look);
    lesson.open() ? ui::lessonPanel(panel, lesson) : ui::startPanel(panel, lesson);
    keepViewValid();  // a scene's view may belong to a pass that is not computed yet
  }
  ui::endCard();
}

/// Scrolls the page just as far as needed to show the requested card.
void App::State::scrollIntoSight(const ui::Page& page, const std::vector<ui::Rect>& places,
                                 float height) {
  if (!view.frame.inSight || &page != &pages.open(view.selection.page))
    return;  // another page is opening
  float top = 0.0F;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (page.cards().at(i).text().id != *view.frame.inSight) continue;
    top = std::clamp(places[i].b.y - height, 0.0F, places[i].a.y);
  }
  ImGui::SetScrollY(top);
  view.frame.inSight.reset();
  wantsFrame = true;
}

/// Draws the cards of the open page.
void App::State::body(const ui::PanelContext& panel, const ui::Rect& at) {
  const ui::FrameContext& look = panel.look;
  const ui::Page& page = pages.open(view.selection.page);
  const ImVec2 content = page.content(panel, at.size());
  ui::beginBody(at, content, look, !page.takesWheel());
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const std::vector<ui::Rect> places = page.layout(panel, content);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].empty()) continue;
    const ImVec2 corner{origin.x + places[i].a.x, origin.y + places[i].a.y};
    drawCard(panel, page, page.cards().at(i), ui::Rect::at(corner, places[i].size()));
  }
  scrollIntoSight(page, places, at.height());
  spotlight(panel, page, places, origin);
  ui::endBody();
}

/// Dims the cards of the page that an open lesson does not speak of, but for the one under the
/// mouse.
void App::State::spotlight(const ui::PanelContext& panel, const ui::Page& page,
                           const std::vector<ui::Rect>& places, ImVec2 origin) const {
  const std::vector<std::string>& lit = view.frame.spotlight;
  std::vector<bool> isLit;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto named = std::find(lit.begin(), lit.end(), page.cards().at(i).text().id);
    isLit.push_back(!places[i].empty() && named != lit.end());
  }
  if (std::find(isLit.begin(), isLit.end(), true) == isLit.end()) return;
  ImGui::SetCursorScreenPos(ImGui::GetWindowPos());
  // a window of its own, over the cards
  constexpr ImGuiWindowFlags kOver = ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground |
                                     ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoNav;
  ImGui::BeginChild("spotlight", ImGui::GetWindowSize(), false, kOver);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float round = panel.look.px(10);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool onPage = ui::Rect::at(ImGui::GetWindowPos(), ImGui::GetWindowSize()).contains(mouse);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].empty()) continue;
    const ui::Rect card =
        ui::Rect::at({origin.x + places[i].a.x, origin.y + places[i].a.y}, places[i].size());
    if (isLit[i]) {
      const ui::Rect edge = card.outset(panel.look.px(3));
      list->AddRect(edge.a, edge.b, panel.look.theme.accent, round, 0, panel.look.px(1.5F));
    } else if (!onPage || !card.contains(mouse)) {
      list->AddRectFilled(card.a, card.b, ui::withAlpha(panel.look.theme.window, 0.45F), round);
    }
  }
  ImGui::EndChild();
}

void App::State::drawCard(const ui::PanelContext& panel, const ui::Page& page, ui::Card& card,
                          const ui::Rect& at) {
  const std::string id(card.text().id);
  if (ui::beginCard(id.c_str(), at.a, at.size(), panel.look, card.text().framed)) {
    ui::offerCard(controls, id, panel.look);
    card.draw(panel);
  }
  presenter.noteCard(page, card);
  ui::endCard();
}

/// Draws the page one card at a time, below a row of their titles and above an open lesson.
void App::State::cardByCard(const ui::PanelContext& panel, ui::Rect at) {
  const ui::FrameContext& look = panel.look;
  const ui::Page& page = pages.open(view.selection.page);
  if (view.frame.inSight) cardShown = *std::exchange(view.frame.inSight, std::nullopt);
  ui::beginBody(at, at.size(), look, false);
  at = at.inset(look.px(8));
  if (lesson.open()) {
    constexpr float kShare = 0.45F;
    guide(panel, at.cutBottom(kShare * at.height(), look.px(8)));
  }
  std::vector<ui::Card*> cards;  // null: the guide
  std::vector<ui::Tab> tabs;
  if (startShown() && !lesson.open()) {
    cards.push_back(nullptr);
    tabs.push_back({tr("Where to begin"), tr("lessons, and ways to begin")});
  }
  const std::vector<ui::Rect> places = page.layout(panel, page.content(panel, at.size()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].empty()) continue;
    ui::Card& card = page.cards().at(i);
    if (card.text().strip > 0.0F) {
      drawCard(panel, page, card, at.cutBottom(look.px(card.text().strip), look.px(4)));
      continue;
    }
    cards.push_back(&card);
    tabs.push_back({cards.back()->text().title, cards.back()->text().about});
  }
  if (cards.empty()) return ui::endBody();
  const auto idOf = [](const ui::Card* card) {
    return card != nullptr ? card->text().id : std::string_view();
  };
  auto shown = std::ranges::find(cards, cardShown, idOf);
  if (shown == cards.end()) shown = std::ranges::find(cards, page.text().controls, idOf);
  if (shown == cards.end()) shown = cards.begin();
  if (tabs.size() > 1) {
    ImGui::SetCursorScreenPos(at.cutTop(look.px(24), look.px(4)).a);
    const int clicked = ui::tabRow(look, "cards", tabs, static_cast<int>(shown - cards.begin()));
    if (clicked >= 0) cardShown = idOf(cards[static_cast<std::size_t>(clicked)]);
  }
  *shown == nullptr ? guide(panel, at) : drawCard(panel, page, **shown, at);
  ui::endBody();
}

/// Draws one card alone, for a picture or while presenting.
void App::State::oneCard(const ui::PanelContext& panel, std::string_view id, ui::Rect at) {
  const ui::Page* page = pages.withCard(id);
  if (page == nullptr) return;
  if (ui::mistakeBadge(panel, at.a, at.width()) > 0.0F) {
    at.cutTop(ui::mistakeBadgeHeight(panel.look), panel.look.space.small);
  }
  ui::Card& card = page->cards().open(id);
  if (ui::beginCard("panel", at.a, at.size(), panel.look, card.text().framed)) {
    ui::offerCard(controls, "panel", panel.look);
    card.draw(panel);
  }
  ui::endCard();
}

void App::State::panels(const ui::PanelContext& panel) {
  lesson.follow(panel, {training, language, scaleStudy, model.live});
  keepViewValid();  // a lesson's view may belong to a pass that is not computed yet
  if (lesson.takePresenting()) {
    presenter.begin(view.selection);
    lecture.restartClock();
  }
  lecture.follow(panel.look.now, presenter.on());
  ui::beginCards(controls);
  offerTop =
      presenter.on() && lesson.open() ? std::nullopt : std::optional(0.0F);  // no slide has it
  ui::Rect room = ui::Rect{{0, 0}, ImGui::GetIO().DisplaySize}.inset(panel.look.px(12));
  if (presenter.on()) {
    presenter.followPage(view.selection);
    using Asked = ui::Presenter::Asked;
    const Asked asked = presenter.drawBelow(panel, lecture.forTheRoom(), room);
    if (asked == Asked::leave) presenter.end();
    if (asked == Asked::back || asked == Asked::next) lecture.go(panel, asked == Asked::next, true);
    oneCard(panel, presenter.card(), room);
  } else if (!view.selection.focus.empty()) {
    oneCard(panel, view.selection.focus, room);
  } else if (embedded) {
    presenter.followPage(view.selection);
    oneCard(panel, presenter.card(), room);
  } else {
    wholeWindow(panel);
  }
  pages.open(view.selection.page).follow(panel);  // this frame may have opened another page
  if (lesson.open()) {
    trainHistory.reset();  // its scenes choose the runs
  } else if (trainIsShown()) {
    trainHistory.follow(view.train, ImGui::IsAnyItemActive());
  }
}

/// Draws dialogs and messages over the panels.
void App::State::overlays(const ui::PanelContext& panel) {
  if (auto request = exports.dialog().draw(
          panel, {tools.open(view.selection.tool).text().title, model.live.moment(), filmable(),
                  filmKinds, exports.film(), std::ssize(sessions.store().scenes())})) {
    exports.ask(std::move(*request));
    wantsFrame = true;
  }
  ui::ringControl(controls, panel.look);
  lesson.pointer().draw(panel.look);
  if (presenter.on()) presenter.drawPointer(panel.look);
  help.draw(panel.look, tools);
  search.draw(panel, pages, tools);
  if (ui::settleTip()) wantsFrame = true;
  if (help.takeStartAsked()) {
    progress.openStart();
    view.selection.page = ui::kFlowPage;
    lesson.leave();
  }
  // arrows and space then act on the dialog's items
  ImGuiIO& io = ImGui::GetIO();
  if (exports.dialog().isOpen()) io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
}

}  // namespace headscope
