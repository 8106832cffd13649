#include "app/ui/heads/enlarge.h"

#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

const char* wordOf(const Panel& panel, EnlargedCard card) {
  return panel.view.heads.enlarged == card ? "smaller" : "larger";
}

}  // namespace

float enlargeSwitchWidth(const Panel& panel, EnlargedCard card) {
  return textSize(panel.look.fonts.small, wordOf(panel, card)).x + panel.look.px(14);
}

void enlargeSwitch(const Panel& panel, EnlargedCard card, ImVec2 top) {
  const Look& look = panel.look;
  EnlargedCard& enlarged = panel.view.heads.enlarged;
  const bool large = enlarged == card;
  const ImVec2 back = ImGui::GetCursorScreenPos();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  pushFont(look.fonts.small);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.px(7), look.px(3)));
  const float width = enlargeSwitchWidth(panel, card);
  ImGui::SetCursorScreenPos({right - width, top.y - look.px(2)});
  if (pill(look, wordOf(panel, card))) enlarged = large ? EnlargedCard::none : card;
  ImGui::PopStyleVar();
  ImGui::PopFont();
  tip(look,
      large ? "Show the other cards of this column again" : "Let this card take the whole column");
  ImGui::SetCursorScreenPos(back);
}

void measuringNote(const Panel& panel, const FiguresMemory& measuring) {
  if (measuring.current) return;
  const bool failed = !measuring.error.empty();
  label(panel.look.fonts.small, failed ? panel.look.theme.bad : panel.look.theme.textMuted,
        failed ? measuring.error : "measuring …");
}

}  // namespace headscope::ui
