#include "app/ui/tools/trail_row.h"

#include <string>
#include <vector>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr const char* kBetween = " › ";

}  // namespace

void trailRow(const Panel& panel, const CellRef& cell) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const std::vector<CellRef> trail = trailTo(panel.view, c, cell);
  if (trail.size() < 2) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = fontSize(look.fonts.small) + look.px(2);
  const float room = ImGui::GetContentRegionAvail().x;

  // the last crumbs that fit; those before them stand behind one "…"
  const float between = textSize(look.fonts.small, kBetween).x;
  const float dots = textSize(look.fonts.small, "…").x + between;
  std::vector<std::string> names;
  for (const CellRef& crumb : trail) names.push_back(cellName(panel.trace, crumb));
  std::size_t first = trail.size();
  float used = 0.0F;
  while (first > 0) {
    const float width = textSize(look.fonts.small, names[first - 1]).x + between;
    if (first < trail.size() && used + width + (first > 1 ? dots : 0.0F) > room) break;
    used += width;
    --first;
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::PushID("trail");
  float x = at.x;
  for (std::size_t i = first > 0 ? first - 1 : 0; i < trail.size(); ++i) {
    const bool last = i + 1 == trail.size();
    const std::string name = i < first ? "…" : elided(look.fonts.small, names[i], room);
    const ImVec2 size = textSize(look.fonts.small, name);
    const ImVec2 pen(x, at.y + (height - size.y) * 0.5F);
    ImGui::SetCursorScreenPos(pen);
    ImGui::PushID(static_cast<int>(i));
    const bool pressed = ImGui::InvisibleButton("crumb", size);
    ImGui::PopID();
    const bool hovered = !last && ImGui::IsItemHovered();
    drawText(list, look.fonts.small, pen, last ? t.text : t.accentText, name);
    if (hovered) {
      list->AddLine({pen.x, pen.y + size.y}, {pen.x + size.x, pen.y + size.y}, t.accentText);
    }
    tip(look,
        last ? toString(trail[i]) : toString(trail[i]) + ": back to it (Backspace: one back)");
    if (pressed && !last) returnTo(panel.view, c, i);
    x += size.x;
    if (!last) drawText(list, look.fonts.small, {x, pen.y}, t.textMuted, kBetween);
    x += between;
  }
  ImGui::PopID();
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({room, height});
}

}  // namespace headscope::ui
