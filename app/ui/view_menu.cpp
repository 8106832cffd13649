#include "app/ui/view_menu.h"

#include <algorithm>

#include "app/ui/widgets.h"

namespace headscope::ui {

void viewMenu(const Look& look, ViewState& view, ViewMenuMemory& memory) {
  bool dark = view.theme == ThemeKind::dark;
  if (ImGui::MenuItem("Dark theme", nullptr, &dark)) {
    view.theme = dark ? ThemeKind::dark : ThemeKind::light;
  }
  ImGui::MenuItem("Animate changes", nullptr, &view.animate);
  ImGui::Separator();
  label(look.fonts.small, look.theme.textMuted, "Colour maps");
  for (int pair = 0; pair < look.maps.pairCount(); ++pair) {
    if (ImGui::MenuItem(look.maps.pairName(pair).c_str(), nullptr, view.colorMaps == pair)) {
      view.colorMaps = pair;
    }
  }
  ImGui::Separator();
  // taken on release: while the interface grew, the slider would run away from the mouse
  float scale = memory.scale > 0.0F ? memory.scale : view.scale;
  ImGui::SetNextItemWidth(look.px(150));
  ImGui::SliderFloat("interface size", &scale, kMinScale, kMaxScale, "%.2f×");
  memory.scale = ImGui::IsItemActive() ? scale : 0.0F;
  if (ImGui::IsItemDeactivatedAfterEdit()) view.scale = std::clamp(scale, kMinScale, kMaxScale);
}

void zoomInterface(ViewState& view, int steps) {
  view.scale = std::clamp(view.scale + 0.25F * static_cast<float>(steps), kMinScale, kMaxScale);
}

}  // namespace headscope::ui
