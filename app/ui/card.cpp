#include "app/ui/card.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/panel.h"
#include "app/ui/parts/tab_row.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

std::size_t Cards::placeOf(std::string_view id) const {
  const auto found = std::find_if(cards_.begin(), cards_.end(),
                                  [id](const auto& card) { return card->text().id == id; });
  return found != cards_.end() ? static_cast<std::size_t>(found - cards_.begin()) : 0;
}

const Card* Cards::ofKey(char key) const {
  const auto found = std::find_if(cards_.begin(), cards_.end(),
                                  [key](const auto& card) { return card->text().key == key; });
  return found != cards_.end() ? found->get() : nullptr;
}

std::size_t Cards::tabs(const PanelContext& panel, const char* id, std::size_t open,
                        float kept) const {
  const FrameContext& look = panel.look;
  Card& card = at(open);
  const CardText& text = card.text();
  if (panel.slide) {
    heading(look, text.title);
    return open;
  }
  std::vector<Tab> tabs;
  for (const auto& each : cards_) {
    const CardText& of = each->text();
    tabs.push_back({of.title, of.key != 0 ? fmt::format("{} ({})", of.about, of.key) : of.about});
  }
  const Rect line = Rect::rest();
  float controls = 0.0F;  // the widest of all, so that the row stands still
  for (const auto& each : cards_) {
    controls = std::max(controls, look.px(each->controlsWidth()));
  }
  const int clicked =
      tabRow(look, id, tabs, static_cast<int>(open),
             text.subtitle != nullptr ? text.subtitle : text.about, controls + kept);
  if (card.controlsWidth() > 0.0F) {
    const ImVec2 below = ImGui::GetCursorScreenPos();
    const float own = look.px(card.controlsWidth());
    ImGui::SetCursorScreenPos({line.b.x - own, line.a.y - look.space.tight});
    card.drawControls(panel);
    ImGui::SetCursorScreenPos(below);
  }
  return clicked < 0 ? open : static_cast<std::size_t>(clicked);
}

std::vector<CardTab> Cards::asTabs(
    const std::function<void(const PanelContext&, std::size_t)>& choose) const {
  std::vector<CardTab> tabs;
  for (std::size_t place = 0; place < cards_.size(); ++place) {
    const CardText& text = cards_[place]->text();
    tabs.push_back({text.title, text.about,
                    [choose, place](const PanelContext& panel) { choose(panel, place); }});
  }
  return tabs;
}

}  // namespace headscope::ui
