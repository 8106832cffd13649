#include "app/ui/presenter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr float kLarger = 1.6F;
constexpr double kPointerStays = 8.0;  // seconds after the last movement of the mouse

}  // namespace

float presentedScale(float scale) { return std::max(scale, std::min(scale * kLarger, kMaxScale)); }

std::string_view Presenter::cardAfter(const Page& page, std::string_view card) const {
  const auto& cards = page.cards().all();
  std::size_t next = page.cards().placeOf(card);
  do {
    next = (next + 1) % cards.size();
  } while (!cards[next]->text().alone || !page.has(view_, cards[next]->text().id));
  return cards[next]->text().id;
}

std::string_view Presenter::mainCardOf(const Page& page) const {
  const std::string_view card = page.text().presented;
  return page.has(view_, card) ? card : cardAfter(page, card);
}

std::string_view Presenter::clickedOf(const Page& page) const {
  const auto found = clicked_.find(&page);
  const bool there = found != clicked_.end() && page.has(view_, found->second);
  return there ? found->second : mainCardOf(page);
}

void Presenter::toggle(Selection& selection, std::string_view withKeyboard) {
  if (!selection.focus.empty()) return;  // a picture of one card
  on_ = !on_;
  if (!on_) return;
  const std::string_view chosen = pages_.withCard(withKeyboard) != nullptr ? withKeyboard
                                  : !underMouse_.empty()                   ? underMouse_
                                                         : clickedOf(pages_.open(selection.page));
  selection.presented = chosen;
  followPage(selection);
}

void Presenter::followPage(Selection& selection) {
  const Page& page = pages_.open(selection.page);
  const bool there =
      pages_.withCard(selection.presented) == &page && page.has(view_, selection.presented);
  if (selection.presented.empty()) {
    selection.presented = mainCardOf(page);
  } else if (!there) {
    selection.presented = clickedOf(page);
  }
  card_ = page.cards().open(selection.presented).text().id;
}

void Presenter::noteCard(const Page& page, const Card& card) {
  constexpr ImGuiHoveredFlags kAnyPart =
      ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem;
  if (!card.text().alone || !ImGui::IsWindowHovered(kAnyPart)) return;
  underMouse_ = card.text().id;
  if (ImGui::IsMouseClicked(0)) clicked_[&page] = underMouse_;
}

bool Presenter::keys(Selection& selection) {
  if (!on_) return false;
  if (keyPressed(Key::escape, false)) {
    on_ = false;
    return true;
  }
  if (keyPressed(Key{'L'}, false)) {
    pointer_ = !pointer_;
    return true;
  }
  // the tab key goes to the next matrix while a cell is chosen
  if (keyPressed(Key::f6, false) || (!selection.cell && keyPressed(Key::tab, false))) {
    selection.presented = cardAfter(pages_.open(selection.page), card_);
    return true;
  }
  return false;
}

Presenter::Asked Presenter::drawBelow(const PanelContext& panel, const Words& lecture,
                                      Rect& room) const {
  const FrameContext& look = panel.look;
  const float whole = room.height();
  const bool slide = !lecture.counter.empty();
  const Rect line =
      room.cutBottom(fontSize(slide ? look.fonts.title : look.fonts.small) + look.px(6));
  const Asked asked = drawLine(panel, lecture, line);
  SentenceStrip sentence = lecture.sentence;
  // a played step has its own narration
  const bool played = panel.selection.playTime && panel.selection.page == kFlowPage;
  if (sentence.empty() || played) {
    sentence = {pages_.open(panel.selection.page).sentenceInWords(panel, card_)};
  }
  if (sentence.empty()) return asked;
  const float height = sentenceStripHeight(look, sentence, room.width(), whole);
  drawSentenceStrip(look, sentence, room.cutBottom(height, look.space.medium));
  return asked;
}

namespace {

/// Draws the buttons of a slide at the right end of the line, and cuts them off it.
Presenter::Asked slideButtons(const FrameContext& look, Rect& line) {
  struct Button {
    const char *text, *about;
    Presenter::Asked asks;
  };
  Presenter::Asked asked = Presenter::Asked::nothing;
  const bool narrow = line.width() < look.px(260);
  for (const Button& button :
       {Button{tr("Leave"), tr("Ends the presentation (esc)"), Presenter::Asked::leave},
        Button{narrow ? "→" : tr("Next"), tr("The next slide (→)"), Presenter::Asked::next},
        Button{narrow ? "←" : tr("Back"), tr("The slide before (←)"), Presenter::Asked::back}}) {
    const Rect at = line.cutRight(buttonWidth(look, button.text), look.space.small);
    ImGui::SetCursorScreenPos({at.a.x, line.b.y - ImGui::GetFrameHeight()});
    if (pill(look, button.text)) asked = button.asks;
    tip(look, button.about);
  }
  line.cutRight(look.space.small);
  return asked;
}

}  // namespace

Presenter::Asked Presenter::drawLine(const PanelContext& panel, const Words& lecture,
                                     const Rect& at) const {
  const FrameContext& look = panel.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  Rect line = at.inset({look.space.small, 0.0F});
  line.cutTop(look.space.small);
  const Page& page = pages_.open(panel.selection.page);
  const bool wrong = !lecture.problem.empty();
  const bool slide = !lecture.counter.empty();
  ImFont* counter = slide ? look.fonts.title : font;
  const std::string where = elided(counter,
                                   wrong   ? lecture.problem
                                   : slide ? lecture.counter
                                           : page.placeInWords(panel, card_),
                                   line.width());
  drawText(list, counter, line.a, wrong ? look.theme.bad : look.theme.text, where);
  line.a.x += textSize(counter, where).x + look.px(28);
  // the room does not need the keys of a slide: the lecturer sees them while the mouse moves
  const bool still = slide && look.mouseStill >= kPointerStays;
  const Asked asked = slide && !still ? slideButtons(look, line) : Asked::nothing;
  const std::string start = slide ? page.startInWords(panel.view) : std::string();
  if (!start.empty()) {
    const float x = line.b.x - textSize(counter, start).x;
    drawText(list, counter, {x, line.a.y}, look.theme.accentText, start);
    return asked;
  }
  if (still || line.width() < look.px(60)) return asked;
  const std::string own = page.keysInWords(panel.view);
  const std::string first = !lecture.keys.empty() ? lecture.keys : own;
  const char* next = panel.selection.cell ? "F6" : "tab";
  const std::string keys =
      elided(font,
             trFormat("{}{}{} next panel · L pointer{}", first, first.empty() ? "" : " · ", next,
                      slide ? "" : tr(" · esc leaves")),
             line.width());
  drawText(list, font, {line.b.x - textSize(font, keys).x, line.a.y}, look.theme.textMuted, keys);
  return asked;
}

void Presenter::drawPointer(const FrameContext& look) const {
  const ImVec2 at = ImGui::GetIO().MousePos;
  if (!pointer_ || !ImGui::IsMousePosValid(&at) || at.x < 0.0F || at.y < 0.0F) return;
  if (look.mouseStill >= kPointerStays) return;
  look.changesIn(kPointerStays - look.mouseStill);
  constexpr ImU32 kRed = IM_COL32(232, 30, 45, 255);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  constexpr int kRings = 6;
  for (int i = kRings; i > 0; --i) {  // softer outwards
    list->AddCircleFilled(at, look.px(5.0F * static_cast<float>(i)), withAlpha(kRed, 0.055F));
  }
  const float radius = look.px(17);
  list->AddCircle(at, radius, IM_COL32(255, 255, 255, 200), 0, look.px(4.5F));
  list->AddCircle(at, radius, kRed, 0, look.px(2.5F));
}

}  // namespace headscope::ui
