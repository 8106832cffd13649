#include "app/ui/parts/head_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/ui/hover.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/cell_tip.h"
#include "app/ui/parts/flash.h"
#include "app/ui/parts/matrix_marks.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/analysis/rows.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// A grid with its labels. `side`: the size of a picture in units of the aspect.
struct TileFit {
  TileGrid grid;
  float side = 0.0F;
};

float gapOf(const TileSpace& space) { return space.gap * space.scale; }

/// Returns the room that a tile's place leaves for its picture.
ImVec2 roomInPlace(const TileSpace& space, ImVec2 place, TileLabels labels, float below) {
  const bool own = labels == TileLabels::each;
  return {place.x - gapOf(space) - (own ? space.left + space.right : 0.0F),
          place.y - gapOf(space) - space.title - (own ? below : 0.0F)};
}

TileFit fitColumns(const TileSpace& space, TileLabels labels, Index columns, float below) {
  const bool edges = labels == TileLabels::edges;
  TileFit fit;
  fit.grid.columns = columns;
  fit.grid.rows = (space.count + columns - 1) / columns;
  fit.grid.labels = labels;
  fit.grid.title = space.title;
  if (labels == TileLabels::each) fit.grid.left = space.left;
  if (edges) fit.grid.edge = space.left;
  if (labels != TileLabels::none) fit.grid.below = below;
  const ImVec2 room(space.room.x - (edges ? space.left + space.right : 0.0F),
                    space.room.y - (edges ? below : 0.0F));
  fit.grid.place = {room.x / static_cast<float>(columns),
                    room.y / static_cast<float>(fit.grid.rows)};
  const ImVec2 inner = roomInPlace(space, fit.grid.place, labels, below);
  fit.side = std::min(inner.x / space.aspect.x, inner.y / space.aspect.y);
  const ImVec2 size(std::max(2.0F, fit.side * space.aspect.x),
                    std::max(2.0F, fit.side * space.aspect.y));
  fit.grid.size = {std::clamp(inner.x, size.x, size.x * space.stretch),
                   std::clamp(inner.y, size.y, size.y * space.stretch)};
  return fit;
}

/// Two rows replace one where their pictures reach this share of its size: titles get twice the
/// width, and the room is filled.
constexpr float kNearlyAsLarge = 0.8F;

TileFit bestFit(const TileSpace& space, TileLabels labels) {
  TileFit best;  // for more tiles than fit: only the first one
  best.grid.title = space.title;
  best.grid.place = space.room;
  best.grid.size = {2.0F, 2.0F};
  const auto fitOf = [&](Index columns) {
    const TileFit flat = fitColumns(space, labels, columns, space.belowFlat);
    return flat.grid.size.x >= space.flatFrom ? flat
                                              : fitColumns(space, labels, columns, space.below);
  };
  if (space.columns > 0) {
    const TileFit fit = fitOf(space.columns);
    return fit.side > best.side ? fit : best;
  }
  for (Index columns = 1; columns <= space.count; ++columns) {
    const TileFit fit = fitOf(columns);
    if (fit.side > best.side) best = fit;
  }
  if (best.grid.rows > 1 || space.count < 4) return best;
  const TileFit two = fitOf((space.count + 1) / 2);
  return two.side >= kNearlyAsLarge * best.side ? two : best;
}

}  // namespace

ImVec2 matrixAspect(Index rows, Index cols) {
  const auto ratio = static_cast<float>(cols) / static_cast<float>(rows);
  return {std::max(1.0F, ratio), std::max(1.0F, 1.0F / ratio)};
}

bool TileGrid::labelsLeft(Index tile) const {
  return labels == TileLabels::each || (labels == TileLabels::edges && tile % columns == 0);
}

bool TileGrid::labelsRight(Index tile, Index count) const {
  const bool last = tile % columns == columns - 1 || tile == count - 1;
  return labels == TileLabels::each || (labels == TileLabels::edges && last);
}

bool TileGrid::labelsBelow(Index tile, Index count) const {
  return labels == TileLabels::each || (labels == TileLabels::edges && tile + columns >= count);
}

ImVec2 TileGrid::place0(ImVec2 origin, Index tile) const {
  return {origin.x + edge + static_cast<float>(tile % columns) * place.x,
          origin.y + static_cast<float>(tile / columns) * place.y};
}

ImVec2 TileGrid::picture(ImVec2 origin, Index tile) const {
  const ImVec2 corner = place0(origin, tile);
  return {corner.x + left, corner.y + title};
}

TileGrid layoutTiles(const TileSpace& space) {
  const auto highEnough = [&](const TileFit& fit, float points) {
    return fit.side * space.aspect.y >= points * space.scale;
  };
  const TileFit each = bestFit(space, TileLabels::each);
  if (highEnough(each, std::max(space.labelledFrom, space.edgesBelow))) return each.grid;
  if (space.edgesBelow > 0.0F) {
    const TileFit edges = bestFit(space, TileLabels::edges);
    if (highEnough(edges, space.labelledFrom)) return edges.grid;
  }
  return bestFit(space, TileLabels::none).grid;
}

MatrixRef headMatrix(TensorId tensor, const AttentionConfig& c, Index item, Index head,
                     bool gradient) {
  MatrixRef ref = wholeMatrix(tensor, c, item, 0);
  ref.head = head;
  ref.gradient = gradient;
  return ref;
}

HeadTiles::HeadTiles(const PanelContext& panel, Magnitudes& magnitudes, TensorId tensor,
                     bool gradients)
    : panel_(panel),
      tensor_(tensor),
      gradients_(gradients),
      scale_(colorScale(
          panel.look, panel.trace,
          headMatrix(tensor, panel.trace.config(), panel.selection.item, -1, gradients),
          tensor == TensorId::weights && !gradients
              ? 1.0F
              : magnitudes.of(panel.trace, tensor, panel.selection.item, -1, gradients))) {}

MatrixRef HeadTiles::ref(Index head) const {
  return headMatrix(tensor_, panel_.trace.config(), panel_.selection.item, head, gradients_);
}

void HeadTiles::add(Index head, const Rect& at) { added_.push_back({ref(head), at}); }

void HeadTiles::draw(ImDrawList* list) {
  Heatmaps heatmaps(panel_.look);
  for (const Tile& tile : added_) heatmaps.add(panel_.trace, tile.ref, scale_, tile.at);
  heatmaps.draw(list);
  for (const Tile& tile : added_) {
    if (!gradients_) drawFlash(panel_, tile.ref, tile.at);
    drawCellMarks(panel_, list, {tile.ref, tile.at});
  }
}

std::optional<Hover> HeadTiles::pick(Index head, const Rect& at) const {
  const MatrixRef shown = ref(head);
  const auto under = shown.placedAt(at).hovered();
  if (!under) return std::nullopt;
  const CellRef cell = shown.cell(*under);
  drawCellTip(panel_.look, panel_.trace, cell, at,
              "\n" + headName(tensor_, head, panel_.trace.config()));
  const TensorInfo& t = info(tensor_);
  return Hover{cell, t.rows == Axis::query ? Lane::query : Lane::key,
               t.cols == Axis::key ? Lane::key : Lane::none, cell.row, cell.col};
}

void drawTileNames(const FrameContext& look, ImDrawList* list, const TileGrid& grid, Index tile,
                   Index count, const Rect& picture, const TileNames& names) {
  const Theme& t = look.theme;
  const float gap = look.space.tight;
  const float edge = std::max(grid.left, grid.edge) - gap;
  AxisLabels columns{names.columns,   names.font, t.textMuted,        t.keyText,
                     names.litColumn, edge,       names.columnCurves, names.firstColumn};
  AxisLabels rows{names.rows,   names.font, t.textMuted,     t.queryText,
                  names.litRow, edge,       names.rowCurves, names.firstRow};
  columns.chosen = names.chosenColumn;
  rows.chosen = names.chosenRow;
  rows.limit -= rows.curvesRoom();
  columns.limit -= columns.curvesRoom();
  if (grid.labelsLeft(tile)) drawRowLabels(list, rows, picture, gap);
  if (names.columnsRight) {
    if (grid.labelsRight(tile, count)) drawRowLabelsRight(list, columns, picture, gap);
  } else if (grid.labelsBelow(tile, count)) {
    const float lying = columns.limit;
    columns.limit = ColumnLabels::longestTurned(look, columns, grid.below);
    ColumnLabels labels(look, columns, picture.width(), grid.below);
    if (!labels.turned()) {
      columns.limit = lying;
      labels = ColumnLabels(look, columns, picture.width(), grid.below);
    }
    labels.draw(list, picture);
  }
}

void lightTile(const FrameContext& look, ImDrawList* list, const MatrixPlace& place, Index row,
               Index col) {
  if (row < 0 || row >= place.rows) return;
  const float least = look.px(3);
  const ImVec2 cell = place.cell();
  const float line = look.px(std::min(cell.x, cell.y) < look.space.small ? 1.0F : 1.5F);
  const auto at = static_cast<double>(row);
  Rect band = place.block(at, 1, 0, static_cast<double>(place.cols), least);
  list->AddRect(band.a, band.b, look.theme.queryText, 0, 0, line);
  if (col < 0 || col >= place.cols) return;
  band = place.block(at, 1, static_cast<double>(col), 1, least);
  list->AddRect(band.a, band.b, look.theme.text, 0, 0, line * 1.3F);
}

}  // namespace headscope::ui
