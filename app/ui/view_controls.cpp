#include "app/ui/view_controls.h"

#include "app/ui/compat.h"
#include "app/ui/head_switch.h"
#include "app/ui/number_field.h"
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

namespace {

/// The next of `count`, or with shift the one before, round in a circle.
Index cycled(Index now, Index count) {
  const Index by = ImGui::GetIO().KeyShift ? count - 1 : 1;
  return (now + by) % count;
}

}  // namespace

bool viewKeys(const Panel& panel) {
  if (headSwitchKeys(panel)) return true;
  ViewState& view = panel.view;
  const AttentionConfig& c = panel.trace.config();
  if (keyPressed(Key{'H'})) {
    view.head = cycled(view.head, c.numHeads);
  } else if (keyPressed(Key{'N'})) {
    view.item = cycled(view.item, c.batch);
  } else if (keyPressed(Key{'Q'}, false)) {
    constexpr TensorId kParts[] = {TensorId::q, TensorId::k, TensorId::v};
    const Index now = view.part == TensorId::k ? 1 : view.part == TensorId::v ? 2 : 0;
    view.part = kParts[cycled(now, 3)];
  } else if (keyPressed(Key{'G'}, false)) {
    view.scope = view.scope == StageScope::allHeads ? StageScope::thisHead : StageScope::allHeads;
  } else if (keyPressed(Key{'I'}, false)) {
    view.inspectorTab = static_cast<InspectorTab>(cycled(static_cast<Index>(view.inspectorTab), 3));
  } else {
    return false;
  }
  return true;
}

}  // namespace headscope::ui
