#include "app/ui/flow/flow_panel.h"

#include <algorithm>
#include <cmath>

#include "app/ui/control_focus.h"
#include "app/ui/flow/flow_drawing.h"
#include "app/ui/flow/flow_parts.h"
#include "app/ui/glossary.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

void tooltip(const Look& look, const FlowDescription& text) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(10), look.px(8)));
  ImGui::BeginTooltip();
  const Fonts& fonts = look.fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImVec2 size = richTextSize(fonts, fonts.regular, text.title);
  drawRichText(ImGui::GetWindowDrawList(), fonts, fonts.regular, at, look.theme.text, text.title);
  ImGui::Dummy(size);
  if (!text.shape.empty()) {
    ImGui::SameLine(0, look.px(10));
    label(fonts.mono, look.theme.textMuted, text.shape);
  }
  if (!text.about.empty()) {
    size = richTextSize(fonts, fonts.small, text.about);
    drawRichText(ImGui::GetWindowDrawList(), fonts, fonts.small, ImGui::GetCursorScreenPos(),
                 look.theme.textMuted, text.about);
    ImGui::Dummy(size);
  }
  if (!text.term.empty()) {
    ImGui::PushTextWrapPos(look.px(340));
    label(fonts.small, look.theme.textMuted, termText(text.term));
    ImGui::PopTextWrapPos();
  }
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

}  // namespace

void flowPanel(const Panel& panel, FlowMemory& memory, ImVec2 size) {
  const Look& look = panel.look;
  const float bottom = ImGui::GetCursorScreenPos().y + size.y;
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  const ImVec2 origin(std::floor(cursor.x), std::floor(cursor.y + look.px(4)));
  const float height = std::floor(bottom - origin.y);
  if (size.x < 1 || height < 1) return;

  // Always of the last finished pass, as its heatmaps are.
  const AttentionConfig& config = panel.trace.config();
  const Index head = std::clamp<Index>(panel.view.head, 0, config.numHeads - 1);
  const FlowLayout& layout = memory.update(
      {config, head, size.x, height, panel.view.animate, look.now}, flowMetrics(look));
  if (memory.moving()) *look.wantsFrame = true;

  ImGui::SetCursorScreenPos(origin);
  const bool clicked = pictureArea("flow", {size.x, height});
  std::optional<FlowId> hovered;
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetMousePos();
    hovered = hitTest(layout, mouse.x - origin.x, mouse.y - origin.y);
    if (hovered) hovered = forHead(*hovered, head, config);
  }
  drawFlow(panel, layout, origin, hovered);
  if (!hovered) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  tooltip(look, describe(*hovered, config));
  if (clicked) choose(*hovered, layout, config, panel.view);
}

}  // namespace headscope::ui
