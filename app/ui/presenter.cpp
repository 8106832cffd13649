#include "app/ui/presenter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/tools/tool_card.h"
#include "app/ui/widgets.h"
#include "core/steps/step.h"

namespace headscope::ui {
namespace {

constexpr float kLarger = 1.6F;
constexpr std::array kPanels{Focus::flow, Focus::stage, Focus::heads};

Focus panelAfter(Focus panel) {
  const auto at = std::find(kPanels.begin(), kPanels.end(), panel) - kPanels.begin();
  return kPanels[static_cast<std::size_t>(at + 1) % kPanels.size()];
}

}  // namespace

float presentedScale(float scale) { return std::max(scale, std::min(scale * kLarger, kMaxScale)); }

void togglePresenter(Presenter& presenter, const ViewState& view) {
  if (view.focus != Focus::window) return;  // a picture of one panel
  presenter.on = !presenter.on;
  if (presenter.on) presenter.panel = presenter.underMouse.value_or(presenter.clicked);
}

void forgetMouse(Presenter& presenter) { presenter.underMouse.reset(); }

void noteCard(Presenter& presenter, std::string_view card) {
  const std::optional<Focus> panel = card == "flow"    ? std::optional(Focus::flow)
                                     : card == "stage" ? std::optional(Focus::stage)
                                     : card == "heads" ? std::optional(Focus::heads)
                                                       : std::nullopt;
  constexpr ImGuiHoveredFlags kAnyPart =
      ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem;
  if (!panel || !ImGui::IsWindowHovered(kAnyPart)) return;
  presenter.underMouse = panel;
  if (ImGui::IsMouseClicked(0)) presenter.clicked = *panel;
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
  const ViewState& view = panel.view;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const float y = at.y + look.px(6);
  const std::string_view step = headscope::step(view.step).text(panel.trace.config()).title;
  std::string where = fmt::format("Step {} · {}", static_cast<int>(view.step) + 1, step);
  if (presenter.panel != Focus::heads) where += fmt::format(" · head {}", view.head + 1);
  drawText(list, font, {at.x + look.px(6), y}, look.theme.text, where);
  const float room = size.x - textSize(font, where).x - look.px(40);
  const std::string keys =
      elided(font,
             fmt::format("← → step · space {} · {} next panel · esc leaves",
                         view.playing ? "halts" : "plays", view.selected ? "F6" : "tab"),
             std::max(room, 0.0F));
  drawText(list, font, {at.x + size.x - textSize(font, keys).x - look.px(6), y},
           look.theme.textMuted, keys);
}

}  // namespace headscope::ui
