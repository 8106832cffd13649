// The map of long inputs (see all_heads.h).
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/heads/all_heads.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kMapSide = 112.0F;  // points
constexpr double kMapStep = 0.5;    // of what is shown, by an arrow

void overview(const Panel& panel, const HeadPictures& pictures, const ColorScale& scale,
              const Rect& at) {
  const PictureSet& set = pictures.parts->overview;
  const Index head = panel.view.head;
  const auto found = set.find({HeadPicture::Of::head, head, 0});
  if (!found) return;
  const AttentionConfig& c = panel.trace.config();
  const auto& [rows, cols] = set.spec.blocks;
  Heatmaps heatmaps(panel.look);
  gl::HeatmapQuad& quad =
      heatmaps.add(Fingerprint("minimap"), Fingerprint("minimap", set.revision, head),
                   pictures.parts, set.cells[*found], static_cast<int>(rows.blocks()),
                   static_cast<int>(cols.blocks()), scale, at);
  quad.row1 = static_cast<float>(c.seqLen) / static_cast<float>(rows.step);
  quad.col1 = static_cast<float>(c.keys()) / static_cast<float>(cols.step);
  heatmaps.draw(ImGui::GetWindowDrawList());
}

/// Puts the middle of what is shown at a share of all tokens.
void centreOn(TokenRange& range, Index n, float share) {
  const TokenRange now = shownOf(range, n);
  const auto middle = static_cast<Index>(share * static_cast<float>(n));
  range = moved(range, n, middle - now.count / 2 - now.first);
}

std::string rangeWords(const char* name, const TokenRange& range, Index n) {
  if (range.count == n) return fmt::format("{}: all {}", name, n);
  return fmt::format("{} {} – {}", name, range.first + 1, range.first + range.count);
}

/// The same as dragging by keyboard.
void panArrows(const Panel& panel, const VisibleTokens& shown) {
  HeadsView& view = panel.view.heads;
  const AttentionConfig& c = panel.trace.config();
  const auto stepOf = [](const TokenRange& range) {
    return std::max<Index>(1, static_cast<Index>(static_cast<double>(range.count) * kMapStep));
  };
  const auto press = [&](const char* text, TokenRange& range, Index n, Index by) {
    if (pill(panel.look, text, false, !isWhole(range, n))) range = moved(range, n, by);
  };
  const float gap = panel.look.px(3);
  const Index queries = stepOf(shown.queries);
  const Index keys = stepOf(shown.keys);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(panel.look.space.small, ImGui::GetStyle().FramePadding.y));
  press("◀##keys", view.keys, c.keys(), -keys);
  ImGui::SameLine(0.0F, gap);
  press("▶##keys", view.keys, c.keys(), keys);
  ImGui::SameLine(0.0F, gap);
  press("▲##queries", view.queries, c.seqLen, -queries);
  ImGui::SameLine(0.0F, gap);
  press("▼##queries", view.queries, c.seqLen, queries);
  ImGui::PopStyleVar();
}

}  // namespace

float minimapWidth(const Panel& panel) {
  const AttentionConfig& c = panel.trace.config();
  const HeadsView& view = panel.view.heads;
  const bool whole = isWhole(view.queries, c.seqLen) && isWhole(view.keys, c.keys());
  if (whole && std::max(c.seqLen, c.keys()) <= kShortInput) return 0.0F;
  return panel.look.px(kMapSide + 14.0F);
}

void minimap(const Panel& panel, const HeadPictures* pictures, const VisibleTokens& shown,
             const GridControls& controls, ImVec2 at) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  HeadsView& view = panel.view.heads;
  const float line = fontSize(look.fonts.small) + look.space.tight;
  ImDrawList* list = ImGui::GetWindowDrawList();
  drawText(list, look.fonts.small, at, t.text, fmt::format("Head {}, whole", panel.view.head + 1));
  const float side = look.px(kMapSide);
  const float least = look.space.wide;
  const auto ratio = static_cast<float>(c.keys()) / static_cast<float>(c.seqLen);
  const MatrixPlace place{
      Rect::at({at.x, at.y + line}, {std::max(side * std::min(ratio, 1.0F), least),
                                     std::max(side / std::max(ratio, 1.0F), least)}),
      c.seqLen, c.keys()};
  const Rect& map = place.at;
  if (pictures != nullptr) overview(panel, *pictures, controls.scale, map);
  list->AddRect(map.a, map.b, t.panelBorder);

  const auto number = [](Index n) { return static_cast<double>(n); };
  const Rect part =
      place.block(number(shown.queries.first), number(shown.queries.count),
                  number(shown.keys.first), number(shown.keys.count), look.space.tight);
  const bool whole = shown.queries.count == c.seqLen && shown.keys.count == c.keys();
  if (!whole) list->AddRectFilled(part.a, part.b, withAlpha(t.accent, 0.15F));
  list->AddRect(part.a, part.b, t.accent, 0, 0, look.px(1.5F));

  ImGui::SetCursorScreenPos(map.a);
  pictureArea("minimap", map.size());
  if (ImGui::IsItemActive()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    centreOn(view.queries, c.seqLen, (mouse.y - map.a.y) / map.height());
    centreOn(view.keys, c.keys(), (mouse.x - map.a.x) / map.width());
  }
  const std::string step =
      controls.queryStep * controls.keyStep == 1
          ? "each cell is one pair"
          : fmt::format("a cell covers {} × {}", controls.queryStep, controls.keyStep);
  float below = map.b.y + look.space.tight;
  for (const std::string& words : {rangeWords("queries", shown.queries, c.seqLen),
                                   rangeWords("keys", shown.keys, c.keys()), step}) {
    drawText(list, look.fonts.small, {map.a.x, below}, t.textMuted, words);
    below += line;
  }
  ImGui::SetCursorScreenPos({map.a.x, below + look.space.thin});
  ImGui::BeginGroup();
  panArrows(panel, shown);
  ImGui::EndGroup();
}

}  // namespace headscope::ui
