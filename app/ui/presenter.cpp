#include "app/ui/presenter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kLarger = 1.6F;

/// The next of the page that may fill the screen, round in a circle.
std::string_view cardAfter(const Page& page, std::string_view card) {
  const auto& cards = page.cards().all();
  std::size_t next = page.cards().placeOf(card);
  do {
    next = (next + 1) % cards.size();
  } while (!cards[next]->text().alone);
  return cards[next]->text().id;
}

}  // namespace

float presentedScale(float scale) { return std::max(scale, std::min(scale * kLarger, kMaxScale)); }

std::string_view Presenter::clickedOf(const Page& page) const {
  const auto found = clicked_.find(&page);
  return found != clicked_.end() ? found->second : page.text().presented;
}

void Presenter::toggle(const ViewState& view, std::string_view withKeyboard) {
  if (!view.focus.empty()) return;  // a picture of one card
  on_ = !on_;
  if (!on_) return;
  card_ = !underMouse_.empty() ? underMouse_ : clickedOf(pages_.open(view.page));
  if (const Page* page = pages_.withCard(withKeyboard)) {
    card_ = page->cards().open(withKeyboard).text().id;
  }
}

void Presenter::followPage(const ViewState& view) {
  const Page& page = pages_.open(view.page);
  if (pages_.withCard(card_) != &page) card_ = clickedOf(page);
}

void Presenter::noteCard(const Page& page, const Card& card) {
  constexpr ImGuiHoveredFlags kAnyPart =
      ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem;
  if (!card.text().alone || !ImGui::IsWindowHovered(kAnyPart)) return;
  underMouse_ = card.text().id;
  if (ImGui::IsMouseClicked(0)) clicked_[&page] = underMouse_;
}

bool Presenter::keys(const ViewState& view) {
  if (!on_) return false;
  if (keyPressed(Key::escape, false)) {
    on_ = false;
    return true;
  }
  // the tab key goes to the next matrix while a cell is chosen
  if (keyPressed(Key::f6, false) || (!view.selected && keyPressed(Key::tab, false))) {
    card_ = cardAfter(pages_.open(view.page), card_);
    return true;
  }
  return false;
}

float Presenter::lineHeight(const Look& look) { return fontSize(look.fonts.small) + look.px(6); }

void Presenter::drawLine(const Panel& panel, const Rect& at) const {
  const Look& look = panel.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  Rect line = at.inset({look.space.small, 0.0F});
  line.cutTop(look.space.small);
  const Page& page = pages_.open(panel.view.page);
  const std::string where = page.placeInWords(panel, card_);
  drawText(list, font, line.a, look.theme.text, where);
  const float room = line.width() - textSize(font, where).x - look.px(28);
  const std::string keys =
      elided(font,
             fmt::format("{} · {} next panel · esc leaves", page.keysInWords(panel.view),
                         panel.view.selected ? "F6" : "tab"),
             std::max(room, 0.0F));
  drawText(list, font, {line.b.x - textSize(font, keys).x, line.a.y}, look.theme.textMuted, keys);
}

}  // namespace headscope::ui
