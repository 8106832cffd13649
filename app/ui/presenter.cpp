#include "app/ui/presenter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/steps/step.h"

namespace headscope::ui {
namespace {

constexpr float kLarger = 1.6F;
struct Presented {
  Focus panel;
  Page page;
  std::string_view card;  // that it fills in the window
};

constexpr std::array kPanels{Presented{Focus::flow, Page::flow, "flow"},
                             Presented{Focus::stage, Page::flow, "stage"},
                             Presented{Focus::heads, Page::flow, "heads"},
                             Presented{Focus::allHeads, Page::heads, "all heads"},
                             Presented{Focus::looks, Page::heads, "looks"},
                             Presented{Focus::figures, Page::heads, "figures"},
                             Presented{Focus::similarity, Page::heads, "similarity"},
                             Presented{Focus::effects, Page::heads, "effects"}};

const Presented* rowOf(Focus panel) {
  return std::find_if(kPanels.begin(), kPanels.end(),
                      [panel](const Presented& p) { return p.panel == panel; });
}

const Presented* rowOf(std::string_view card) {
  const auto* found = std::find_if(kPanels.begin(), kPanels.end(),
                                   [card](const Presented& p) { return p.card == card; });
  return found == kPanels.end() ? nullptr : found;
}

Focus& clickedOf(Presenter& presenter, Page page) {
  return presenter.clicked[static_cast<std::size_t>(page)];
}

/// The next of the same page, round in a circle.
Focus panelAfter(Focus panel) {
  const Presented* now = rowOf(panel);
  const Presented* next = now;
  do {
    if (++next == kPanels.end()) next = kPanels.begin();
  } while (next->page != now->page);
  return next->panel;
}

/// Where one is, in words.
std::string placeInWords(const Panel& panel, Focus presented) {
  const ViewState& view = panel.view;
  const AttentionConfig& c = panel.trace.config();
  if (rowOf(presented)->page == Page::heads) {
    const std::string item = c.batch > 1 ? fmt::format(" · item {}", view.item + 1) : "";
    return fmt::format("Head {} of {}{}", view.head + 1, c.numHeads, item);
  }
  const std::string where = fmt::format("Step {} · {}", stepPlace(view.step, c) + 1,
                                        headscope::step(view.step).text(c).title);
  return presented == Focus::heads ? where : fmt::format("{} · head {}", where, view.head + 1);
}

/// What can be done by the keyboard.
std::string keysInWords(const ViewState& view, Focus presented) {
  const std::string own =
      rowOf(presented)->page == Page::heads
          ? std::string("H next head · X off, on")
          : fmt::format("← → step · space {}", view.playing ? "halts" : "plays");
  return fmt::format("{} · {} next panel · esc leaves", own, view.selected ? "F6" : "tab");
}

}  // namespace

float presentedScale(float scale) { return std::max(scale, std::min(scale * kLarger, kMaxScale)); }

void togglePresenter(Presenter& presenter, const ViewState& view, std::string_view card) {
  if (view.focus != Focus::window) return;  // a picture of one panel
  presenter.on = !presenter.on;
  if (!presenter.on) return;
  const Presented* withKeyboard = rowOf(card);
  presenter.panel = withKeyboard != nullptr
                        ? withKeyboard->panel
                        : presenter.underMouse.value_or(clickedOf(presenter, view.page));
}

void followPage(Presenter& presenter, Page page) {
  if (rowOf(presenter.panel)->page != page) presenter.panel = clickedOf(presenter, page);
}

void forgetMouse(Presenter& presenter) { presenter.underMouse.reset(); }

void noteCard(Presenter& presenter, std::string_view card) {
  const Presented* row = rowOf(card);
  constexpr ImGuiHoveredFlags kAnyPart =
      ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem;
  if (row == nullptr || !ImGui::IsWindowHovered(kAnyPart)) return;
  presenter.underMouse = row->panel;
  if (ImGui::IsMouseClicked(0)) clickedOf(presenter, row->page) = row->panel;
}

bool presenterKeys(Presenter& presenter, const ViewState& view) {
  if (!presenter.on) return false;
  if (keyPressed(Key::escape, false)) {
    presenter.on = false;
    return true;
  }
  // the tab key goes to the next matrix while a cell is chosen
  if (keyPressed(Key::f6, false) || (!view.selected && keyPressed(Key::tab, false))) {
    presenter.panel = panelAfter(presenter.panel);
    return true;
  }
  return false;
}

float presenterLineHeight(const Look& look) { return fontSize(look.fonts.small) + look.px(6); }

void presenterLine(const Panel& panel, const Presenter& presenter, ImVec2 at, ImVec2 size) {
  const Look& look = panel.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const float y = at.y + look.px(6);
  const std::string where = placeInWords(panel, presenter.panel);
  drawText(list, font, {at.x + look.px(6), y}, look.theme.text, where);
  const float room = size.x - textSize(font, where).x - look.px(40);
  const std::string keys =
      elided(font, keysInWords(panel.view, presenter.panel), std::max(room, 0.0F));
  drawText(list, font, {at.x + size.x - textSize(font, keys).x - look.px(6), y},
           look.theme.textMuted, keys);
}

}  // namespace headscope::ui
