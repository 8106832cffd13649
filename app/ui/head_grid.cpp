#include "app/ui/head_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/axis_labels.h"
#include "app/ui/cell_marks.h"
#include "app/ui/color_bar.h"
#include "app/ui/head_switch.h"
#include "app/ui/head_tiles.h"
#include "app/ui/stage_matrix.h"
#include "app/ui/tile_grid.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

void chooseHead(ViewState& view, TensorId tensor, const AttentionConfig& c, Index head) {
  view.head = info(tensor).kvHeads ? head * c.headsPerGroup() : head;
}

/// Frames a cell in a head's tile at a, b, where it is one of it.
void markCell(const Look& look, const MatrixRef& ref, const CellRef& cell, ImVec2 a, ImVec2 b) {
  Index row = 0;
  Index col = 0;
  if (!ref.find(cell, &row, &col)) return;
  const float w = (b.x - a.x) / static_cast<float>(ref.shownCols());
  const float h = (b.y - a.y) / static_cast<float>(ref.shownRows());
  const float grow = std::max(0.0F, look.px(4) - std::min(w, h)) * 0.5F;
  const ImVec2 at(a.x + static_cast<float>(col) * w, a.y + static_cast<float>(row) * h);
  ImGui::GetWindowDrawList()->AddRect({at.x - grow, at.y - grow},
                                      {at.x + w + grow, at.y + h + grow}, look.theme.text, 0, 0,
                                      look.px(2));
}

bool isChosen(const ViewState& view, TensorId tensor, const AttentionConfig& c, Index head) {
  return head == headIn(tensor, view.head, c);
}

}  // namespace

void headGrid(const Panel& panel, Magnitudes& magnitudes, TensorId tensor,
              const std::optional<HeadGridPlay>& play) {
  const Look& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  ImDrawList* list = ImGui::GetWindowDrawList();
  HeadTiles tiles(panel, magnitudes, tensor);
  const Index count = headCount(tensor, c);

  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.x -= colorBarWidth(look) + look.px(14);
  if (play) room.y -= play->roomBelow;
  const MatrixRef first = headMatrix(tensor, c, panel.view.item, 0);
  const bool scoreLike = info(tensor).cols == Axis::key;
  const ImVec2 aspect = scoreLike ? matrixAspect(first.rows, first.cols) : ImVec2(1.6F, 1.0F);
  const float title = look.px(18);
  const auto& rowTokens = laneTokens(
      panel.trace, info(tensor).rows == Axis::query ? Lane::query : Lane::key, panel.view.item);
  const float labels =
      std::min(labelWidth(look.fonts.tiny, rowTokens, look.px(60)), look.px(60)) + look.px(5);
  TileSpace space;
  space.count = count;
  space.room = room;
  space.aspect = aspect;
  space.title = title;
  space.left = labels;
  space.below = look.px(30);
  space.scale = look.scale;
  const TileGrid grid = layoutTiles(space);
  const ImVec2 size = grid.size;
  const bool labelled = grid.labelled();

  std::optional<Hover> hovered;
  for (Index h = 0; h < count; ++h) {
    const ImVec2 a = grid.picture(origin, h);
    const ImVec2 b(a.x + size.x, a.y + size.y);
    tiles.add(h, a, b);
    if (ImGui::IsWindowHovered() && !hovered) hovered = tiles.pick(h, a, b);
  }
  tiles.draw(list);

  for (Index h = 0; h < count; ++h) {
    const ImVec2 corner = grid.place0(origin, h);
    const ImVec2 a = grid.picture(origin, h);
    const ImVec2 b(a.x + size.x, a.y + size.y);
    if (play && h >= play->reached) list->AddRectFilled(a, b, veilColor(look.theme));
    const bool chosen = isChosen(panel.view, tensor, c, h);
    const MatrixRef shown = headMatrix(tensor, c, panel.view.item, h);
    drawCellMarks(panel, list, {shown, a, b});
    if (!info(tensor).kvHeads) drawOff(panel, list, h, a, b);
    drawChosenCell(panel, list, {shown, a, b});
    const ImU32 color = headColor(look.theme, static_cast<std::size_t>(h));
    const char* of = count < c.numHeads ? "K, V" : "Head";  // shared by several heads of Q
    const std::string name =
        size.x > look.px(46) ? fmt::format("{} {}", of, h + 1) : std::to_string(h + 1);
    drawText(list, size.x > look.px(46) ? look.fonts.small : look.fonts.tiny,
             {a.x, corner.y + look.px(1)}, color, name);
    list->AddRect({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1}, chosen ? color : look.theme.panelBorder,
                  0, 0, look.px(chosen ? 2.0F : 1.0F));
    const MatrixRef ref = headMatrix(tensor, c, panel.view.item, h);
    if (panel.view.selected) markCell(look, ref, *panel.view.selected, a, b);
    for (const CellRef& cell : panel.view.pointed) markCell(look, ref, cell, a, b);
    if (labelled) {
      const LabelStyle style{look.fonts.tiny, look.theme.textMuted, look.theme.queryText,
                             hovered ? hovered->row : -1};
      drawRowLabels(list, rowTokens, {a.x - look.px(4), a.y},
                    size.y / static_cast<float>(first.rows), labels, style);
      if (scoreLike) {
        const LabelStyle keys{look.fonts.tiny, look.theme.textMuted, look.theme.keyText,
                              hovered ? hovered->col : -1};
        drawColumnLabels(list, laneTokens(panel.trace, Lane::key, panel.view.item),
                         {a.x, b.y + look.px(2)}, size.x / static_cast<float>(first.cols),
                         look.px(26), keys);
      }
    }
    if (hovered && info(tensor).rows == Axis::query) {
      // the same cell lit in every head
      const float ch = size.y / static_cast<float>(first.rows);
      const float y = a.y + static_cast<float>(hovered->row) * ch;
      list->AddRect({a.x, y}, {b.x, y + std::max(ch, 2.0F)}, look.theme.queryText);
    }
    ImGui::SetCursorScreenPos({a.x, corner.y});
    ImGui::PushID(static_cast<int>(h));
    if (ImGui::InvisibleButton("head", {size.x, size.y + title})) {
      chooseHead(panel.view, tensor, c, h);
      if (const auto clicked = tiles.pick(h, a, b)) panel.view.selected = clicked->cell;
    }
    ImGui::PopID();
  }
  colorBar(look, tiles.scale(), {origin.x + room.x + look.px(10), origin.y + title},
           std::min(room.y - title - look.px(8), look.px(160)));
  panel.view.hovered = hovered;
}

}  // namespace headscope::ui
