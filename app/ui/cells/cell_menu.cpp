#include "app/ui/cells/cell_menu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "app/ui/cells/cell_commands.h"
#include "app/ui/compat.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr const char* kCellMenuName = "cell menu";

const char* shortcutOf(CellCommand command) { return command == CellCommand::copy ? "ctrl+C" : ""; }

class CellMenuPopup {
 public:
  CellMenuPopup(const PanelContext& panel, CellMenuMemory& menu, const CellRef& cell)
      : panel_(panel), look_(panel.look), menu_(menu), cell_(cell) {
    target_ = usable(menu.target, cell, panel.trace.config());
  }

  void draw() {
    targets();
    const auto commands = commandsFor(panel_, cell_, target_);
    const int count = static_cast<int>(commands.size());
    menu_.chosen = std::clamp(menu_.chosen, 0, count - 1);
    keys(count);
    std::optional<CellCommand> wanted;
    for (int i = 0; i < count; ++i) {
      if (row(commands[static_cast<std::size_t>(i)], i)) {
        wanted = commands[static_cast<std::size_t>(i)];
      }
    }
    const bool entered = keyPressed(Key::enter, false) || keyPressed(Key::keypadEnter, false);
    if (entered && !ImGui::IsWindowAppearing()) {
      wanted = commands[static_cast<std::size_t>(menu_.chosen)];
    }
    if (!wanted) return;
    menu_.target = target_;
    doCommand(panel_, menu_, cell_, *wanted);
    ImGui::CloseCurrentPopup();
  }

 private:
  void targets() {
    const AttentionConfig& c = panel_.trace.config();
    const auto all = targetsOf(cell_, c);
    const auto now = std::find(all.begin(), all.end(), target_) - all.begin();
    if (!ImGui::GetIO().WantTextInput) {
      const auto last = static_cast<std::ptrdiff_t>(all.size()) - 1;
      if (keyPressed(Key::left))
        choose(all[static_cast<std::size_t>(std::max<std::ptrdiff_t>(now - 1, 0))]);
      if (keyPressed(Key::right)) {
        choose(all[static_cast<std::size_t>(std::min<std::ptrdiff_t>(now + 1, last))]);
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) ImGui::SameLine(0.0F, look_.px(4));
      if (pill(look_, nameOf(all[i], cell_, c).c_str(), all[i] == target_)) choose(all[i]);
    }
    const Region region = targetRegion(panel_, menu_, cell_);
    const Index count = region.rows * region.cols;
    label(look_.fonts.small, look_.theme.textMuted,
          fmt::format("{} · {}", targetName(panel_, menu_, cell_),
                      counted(count, tr("{} number"), tr("{} numbers"))));
  }

  void choose(CellTarget target) { target_ = menu_.target = target; }

  /// Handles ↑ and ↓, which choose a command. A command with a number takes the keyboard then.
  void keys(int count) {
    const int by = (keyPressed(Key::down) ? 1 : 0) - (keyPressed(Key::up) ? 1 : 0);
    if (by == 0) return;
    menu_.chosen = std::clamp(menu_.chosen + by, 0, count - 1);
    menu_.takesKeyboard = true;
  }

  /// Draws the row of a command. Returns true if it was clicked. Only the chosen row has a number
  /// field.
  bool row(CellCommand command, int index) {
    const Theme& t = look_.theme;
    ImGui::PushID(index);
    const float height = ImGui::GetFrameHeight();
    const float width = look_.px(292);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 end(at.x + width, at.y + height);
    const bool over = ImGui::IsMouseHoveringRect(at, end) && ImGui::IsWindowHovered();
    const bool mouseMoved = ImGui::GetIO().MouseDelta.x != 0.0F || ImGui::GetIO().MouseDelta.y != 0;
    if (over && mouseMoved && !ImGui::IsAnyItemActive()) menu_.chosen = index;
    const bool chosen = menu_.chosen == index;
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (chosen) list->AddRectFilled(at, end, t.accentSoft, look_.px(4));
    const float middle = at.y + (height - fontSize(look_.fonts.regular)) * 0.5F;
    drawRichText(list, look_.fonts, look_.fonts.regular, {at.x + look_.px(8), middle},
                 chosen ? t.accentText : t.text, titleOf(command));
    std::string* number = numberOf(command, menu_);
    const float box = number != nullptr ? look_.px(92) : 0.0F;
    if (number == nullptr) {
      const char* key = shortcutOf(command);
      drawText(list, look_.fonts.small,
               {end.x - look_.px(8) - textSize(look_.fonts.small, key).x, middle}, t.textMuted,
               key);
    } else if (chosen) {
      field(*number, {end.x - box, at.y}, box);
    } else {
      drawText(list, look_.fonts.mono, {end.x - box + look_.px(8), middle}, t.textMuted, *number);
    }
    ImGui::SetCursorScreenPos(at);
    const bool clicked = ImGui::InvisibleButton("do", {width - box, height});
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, height});
    ImGui::PopID();
    return clicked;
  }

  void field(std::string& number, ImVec2 at, float width) {
    ImGui::SetCursorScreenPos(at);
    if (menu_.takesKeyboard) ImGui::SetKeyboardFocusHere();
    menu_.takesKeyboard = false;
    pushFieldStyle(look_, false);
    pushFont(look_.fonts.mono);
    ImGui::SetNextItemWidth(width - look_.px(3));
    textField(look_, {"##number", ImGuiInputTextFlags_AutoSelectAll}, number);
    ImGui::PopFont();
    popFieldStyle();
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  CellMenuMemory& menu_;
  CellRef cell_;
  CellTarget target_;
};

/// Moves a place so that the menu fits on the display.
ImVec2 onDisplay(ImVec2 place, const FrameContext& look) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  return {std::clamp(place.x, 0.0F, std::max(display.x - look.px(330), 0.0F)),
          std::clamp(place.y, 0.0F, std::max(display.y - look.px(360), 0.0F))};
}

}  // namespace

void openCellMenu(const PanelContext& panel, CellMenuMemory& menu, const CellRef& cell,
                  const ImVec2* place) {
  panel.selection.cell = cell;
  menu.chosen = 0;
  menu.takesKeyboard = false;
  menu.place = onDisplay(place != nullptr ? *place : ImGui::GetIO().MousePos, panel.look);
  ImGui::OpenPopup(kCellMenuName);
}

void cellMenu(const PanelContext& panel, CellMenuMemory& menu) {
  if (ImGui::IsPopupOpen(kCellMenuName)) ImGui::SetNextWindowPos(menu.place, ImGuiCond_Appearing);
  if (!beginPopup(kCellMenuName)) return;
  const auto& cell = panel.selection.cell;
  if (cell && exists(*cell, panel.trace.config())) {
    CellMenuPopup(panel, menu, *cell).draw();
  } else {
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace headscope::ui
