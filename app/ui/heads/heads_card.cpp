#include "app/ui/heads/heads_card.h"

#include "app/ui/compat.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/hover.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

const char* enlargeWord(const PanelContext& panel, EnlargedCard card) {
  return panel.headsView.enlarged == card ? tr("smaller") : tr("larger");
}

}  // namespace

float enlargeSwitchWidth(const PanelContext& panel, EnlargedCard card) {
  return textSize(panel.look.fonts.small, enlargeWord(panel, card)).x + panel.look.space.large;
}

void enlargeSwitch(const PanelContext& panel, EnlargedCard card, ImVec2 top) {
  const FrameContext& look = panel.look;
  EnlargedCard& enlarged = panel.headsView.enlarged;
  const bool large = enlarged == card;
  const ImVec2 back = ImGui::GetCursorScreenPos();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  pushFont(look.fonts.small);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.space.large * 0.5F, look.px(3)));
  ImGui::SetCursorScreenPos({right - enlargeSwitchWidth(panel, card), top.y - look.space.thin});
  if (pill(look, enlargeWord(panel, card))) enlarged = large ? EnlargedCard::none : card;
  ImGui::PopStyleVar();
  ImGui::PopFont();
  tip(look, large ? tr("Show the other cards of this column again")
                  : tr("Give this card the whole column"));
  ImGui::SetCursorScreenPos(back);
}

HeadsState headsState(const PanelContext& panel, const Figures* figures) {
  return {panel.trace,          panel.headsView, panel.selection.item,
          panel.selection.head, panel.purposes,  figures == nullptr ? nullptr : &figures->report};
}

}  // namespace headscope::ui
