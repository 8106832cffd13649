// The menu of the view: theme, colours, language and size.
#include <fmt/format.h>

#include <algorithm>

#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/letters.h"
#include "app/ui/panel.h"
#include "app/ui/preferences.h"
#include "app/ui/top_bar.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

/// Offers the languages where there are others than English.
void languageMenu(const PanelContext& panel) {
  if (panel.languages == nullptr || panel.languages->size() < 2) return;
  if (!ImGui::BeginMenu(tr("Language"))) return;
  for (const std::string& language : *panel.languages) {
    const bool english = language == panel.languages->front();
    std::string& chosen = panel.preferences.language;
    const bool now = english ? chosen.empty() : chosen == language;
    if (!ImGui::MenuItem(asLabel(language).c_str(), nullptr, now)) continue;
    chosen = english ? std::string() : language;
    panel.commands.add(Say{trFormat("{} from the next start of headscope on", language)});
  }
  ImGui::EndMenu();
}

}  // namespace

void viewMenu(const PanelContext& panel, ViewMenuMemory& memory) {
  const FrameContext& look = panel.look;
  Preferences& preferences = panel.preferences;
  bool dark = preferences.theme == ThemeKind::dark;
  if (ImGui::MenuItem(tr("Dark theme"), nullptr, &dark)) {
    preferences.theme = dark ? ThemeKind::dark : ThemeKind::light;
  }
  bool safe = preferences.palette == Palette::safe;
  if (ImGui::MenuItem(tr("Colours safe in grey and for the colour-blind"), nullptr, &safe)) {
    preferences.palette = safe ? Palette::safe : Palette::usual;
  }
  ImGui::MenuItem(tr("Animate changes"), nullptr, &preferences.animate);
  languageMenu(panel);
  ImGui::Separator();
  label(look.fonts.small, look.theme.textMuted, tr("Colour maps"));
  for (int pair = 0; pair < look.maps.pairCount(); ++pair) {
    if (ImGui::MenuItem(look.maps.pairName(pair).c_str(), nullptr, preferences.colorMaps == pair)) {
      preferences.colorMaps = pair;
    }
  }
  ImGui::Separator();
  // applied on release: while the interface grew, the slider would move away from the mouse
  float scale = memory.scale > 0.0F ? memory.scale : preferences.scale;
  ImGui::SetNextItemWidth(look.px(150));
  ImGui::SliderFloat("###size", &scale, kMinScale, kMaxScale, "");
  memory.scale = ImGui::IsItemActive() ? scale : 0.0F;
  if (ImGui::IsItemDeactivatedAfterEdit())
    preferences.scale = std::clamp(scale, kMinScale, kMaxScale);
  ImGui::SameLine();  // next to the slider, where its knob cannot cover the number
  ImGui::TextUnformatted(fmt::format("{} {:.2f}×", tr("interface size"), scale).c_str());
}

void zoomInterface(Preferences& preferences, int steps) {
  preferences.scale =
      std::clamp(preferences.scale + 0.25F * static_cast<float>(steps), kMinScale, kMaxScale);
}

}  // namespace headscope::ui
