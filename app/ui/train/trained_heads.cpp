#include "app/ui/train/trained_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

constexpr float kStretched = 1.5F;  // the largest width of a cell over its height
constexpr float kMark = 9.0F;       // points, of the mark of a place

}  // namespace

TrainedHeads::TrainedHeads(const FrameContext& look, const Rect& room, Shown shown,
                           bool rowsAreLayers)
    : look_(look), room_(room), shown_(std::move(shown)) {
  TileSpace space;
  space.count = count();
  if (rowsAreLayers) space.columns = shown_.heads;
  space.room = room.size();
  space.title = (shown_.detailed ? 2.0F : 1.0F) * fontSize(look.fonts.semibold) + look.space.medium;
  if (shown_.detailed) {
    const AxisLabels labels{shown_.names, look.fonts.tiny, 0, 0, -1, look.px(60)};
    space.left = labels.width() + look.space.small;
    space.below = ColumnLabels::turnedRoom(look, labels);
  } else if (!shown_.marks.empty()) {
    space.left = space.below = look.px(kMark) + look.space.thin;
  }
  space.right = 0.0F;
  space.stretch = kStretched;
  space.edgesBelow = 240.0F;   // all tiles have the same names
  space.labelledFrom = 46.0F;  // low pictures with names say more than high ones without
  space.gap = look.space.large;
  space.scale = look.scale;
  grid_ = layoutTiles(space);
}

std::optional<HeadOfLayer> TrainedHeads::draw() const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ColorScale scale = sequentialScale(look_, 0.0F, 1.0F);
  std::vector<Tensor> weights;
  for (Index layer = 0; layer < shown_.layers; ++layer) weights.push_back(shown_.weights(layer));
  Heatmaps heatmaps(look_);
  for (Index n = 0; n < count(); ++n) {
    const auto& [layer, head] = this->head(n);
    heatmaps.add(Fingerprint("live head", n), Fingerprint("moment", shown_.number),
                 weightCells(weights[static_cast<std::size_t>(layer)], head, shown_.causal), scale,
                 picture(n));
  }
  heatmaps.draw(list);
  std::optional<HeadOfLayer> clicked;
  for (Index n = 0; n < count(); ++n) {
    const Rect at = picture(n);
    list->AddRect(at.a, at.b, look_.theme.panelBorder);
    title(list, n, at);
    const auto tokens = static_cast<Index>(shown_.names.size());
    const MatrixPlace place{at, tokens, tokens};
    const auto under = place.hovered();
    if (under) {
      const auto& [layer, head] = this->head(n);
      const auto values = weights[static_cast<std::size_t>(layer)].matrix({0, head});
      showTooltip(
          trFormat("{} looks at {}: {:.3f}", shown_.names[static_cast<std::size_t>(under->row)],
                   shown_.names[static_cast<std::size_t>(under->col)],
                   static_cast<double>(values(under->row, under->col))),
          at);
      if (ImGui::IsMouseClicked(0)) clicked = this->head(n);
    }
    TileNames names;
    names.rows = shown_.names;
    names.columns = shown_.names;
    names.font = look_.fonts.tiny;
    if (under) names.litRow = under->row, names.litColumn = under->col;
    if (shown_.detailed) {
      drawTileNames(look_, list, grid_, n, count(), at, names);
    } else {
      marks(list, at);
    }
    if (under) lightTile(look_, list, place, under->row, under->col);
  }
  return clicked;
}

/// Draws the marks of the places at the left of their rows and below their columns.
void TrainedHeads::marks(ImDrawList* list, const Rect& at) const {
  const float side = look_.px(kMark), gap = look_.space.thin, hair = look_.px(1);
  const auto count = static_cast<int>(shown_.marks.size());
  for (int i = 0; i < count; ++i) {
    const ImU32 color = shown_.marks[static_cast<std::size_t>(i)];
    const Rect row = at.row(i, count, 0.0F), column = at.column(i, count, 0.0F);
    list->AddRectFilled({at.a.x - gap - side, row.a.y + hair}, {at.a.x - gap, row.b.y - hair},
                        color);
    list->AddRectFilled({column.a.x + hair, at.b.y + gap}, {column.b.x - hair, at.b.y + gap + side},
                        color);
  }
}

void TrainedHeads::title(ImDrawList* list, Index n, const Rect& at) const {
  const Theme& t = look_.theme;
  const auto& [layer, head] = this->head(n);
  const float line = fontSize(look_.fonts.semibold) + look_.space.thin;
  const ImVec2 top(at.a.x, at.a.y - 2.0F * line - look_.space.tight);
  const float room = std::min(grid_.place.x - look_.space.medium, room_.b.x - top.x);
  std::string name = trFormat("Head {}", n + 1);
  if (shown_.layers > 1) {
    name = trFormat("Layer {} · head {}", layer + 1, head + 1);
    if (textSize(look_.fonts.semibold, name).x > room) name = shortName(HeadOfLayer{layer, head});
  }
  const HeadTitle title = shown_.title({layer, head});
  const ImU32 color = headColor(t, static_cast<std::size_t>(n));
  if (!shown_.detailed) {
    const bool does = !title.does.empty();
    drawText(list, look_.fonts.semibold, {top.x, at.a.y - line},
             does && title.color == 0 ? t.textMuted : color,
             elided(look_.fonts.semibold, does ? title.does : name, room));
    return;
  }
  drawText(list, look_.fonts.semibold, top, color, name);
  if (title.does.empty()) return;
  if (!title.since.empty()) {
    const float after = textSize(look_.fonts.semibold, name).x + look_.space.medium;
    for (const char* before : {tr("found at "), "at ", ""}) {
      const std::string text = before + title.since;
      if (textSize(look_.fonts.small, text).x > room - after) continue;
      drawText(list, look_.fonts.small, {top.x + after, top.y + look_.space.thin}, t.textMuted,
               text);
      break;
    }
  }
  ImFont* font = title.found ? look_.fonts.semibold : look_.fonts.regular;
  for (ImFont* smaller : {look_.fonts.small, look_.fonts.tiny}) {
    if (textSize(font, title.words()).x > room) font = smaller;
  }
  const bool whole = textSize(font, title.words()).x <= room;
  drawText(list, font, {top.x, top.y + line}, title.color != 0 ? title.color : t.textMuted,
           elided(font, whole ? title.words() : title.does, room));
}

}  // namespace headscope::ui
