#include "app/ui/tools/tool_row.h"

#include "app/ui/widgets.h"

namespace headscope::ui {

void flowOn(const Look& look, float width, float gap) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + look.px(gap) + width <= right)
    ImGui::SameLine(0.0F, look.px(gap));
}

bool flowingPill(const Look& look, const std::string& text, const char* about, bool enabled) {
  const std::string shown = text.substr(0, text.find("##"));
  flowOn(look, textSize(look.fonts.regular, shown).x + 2 * ImGui::GetStyle().FramePadding.x);
  const bool clicked = pill(look, text.c_str(), false, enabled);
  tip(look, about);
  return clicked;
}

void rowCaption(const Look& look, const char* text) {
  inlineLabel(look, look.fonts.small, look.theme.textMuted, text);
}

}  // namespace headscope::ui
