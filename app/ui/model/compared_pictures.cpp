#include "app/ui/model/compared_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "app/gl/scene.h"
#include "app/ui/compat.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

std::string pictureCellInWords(const Pictures& pictures, const Pictures::One& one,
                               const MatrixCell& at) {
  if (pictures.nameOf != nullptr) return pictures.nameOf(at);
  if (pictures.reduced) return tr("the largest of the cells here");
  if (one.rows.empty()) return trFormat("row {}, column {}", at.row + 1, at.col + 1);
  return trFormat("{} looks at {}", one.rows[static_cast<std::size_t>(at.row)],
                  one.columns[static_cast<std::size_t>(at.col)]);
}

std::string titleOf(const Pictures::One& one) {
  return one.extent.empty() ? one.title : fmt::format("{}: {}", one.title, one.extent);
}

AxisCurves patchesOfRows(const FrameContext& look, const Pictures::One& one) {
  return one.patches ? AxisCurves{&look, nullptr, 0, 0, &*one.patches} : AxisCurves{};
}

/// Draws the cell's values in all pictures at the mouse.
void tipOf(const FrameContext& look, const Pictures& pictures, std::size_t under,
           const MatrixCell& at, const Rect& place) {
  const Pictures::One& one = pictures.all[under];
  std::string text = pictureCellInWords(pictures, one, at);
  for (const Pictures::One& each : std::span(pictures.all).first(pictures.count)) {
    if (at.row >= each.cells.rows || at.col >= each.cells.cols) continue;
    std::vector<float> row(static_cast<std::size_t>(each.cells.cols));
    each.cells.read(at.row, row);
    const float value = row[static_cast<std::size_t>(at.col)];
    if (value != gl::kMaskedCell) text += fmt::format("\n{} {:.4g}", each.title, value);
  }
  if (!pictures.click.empty()) text += '\n' + pictures.click;
  showTooltip(text, place);
  if (one.patches) patchesInTip(look, *one.patches, {at.row});
}

/// The place of a picture in its room. Its cells are squares, but where a target is much longer
/// than its source, or shorter.
Rect placeOf(const Pictures& pictures, const Pictures::One& one, const Rect& room) {
  if (pictures.stretched) return room;
  const bool stretches = !one.rows.empty() && one.cells.rows != one.cells.cols;
  const float most = stretches ? 4.0F : 1.0F;
  const float columns = static_cast<float>(one.cells.cols);
  const float rows = static_cast<float>(one.cells.rows);
  const float across = room.width() / columns, down = room.height() / rows;
  const float least = std::min(across, down);
  return Rect::at(room.a,
                  {columns * std::min(across, most * least), rows * std::min(down, most * least)});
}

}  // namespace

std::optional<MatrixCell> drawPictures(const FrameContext& look, const Pictures& pictures,
                                       const Rect& room) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  Heatmaps heatmaps(look);
  std::optional<std::pair<std::size_t, MatrixCell>> under;
  const float names = look.px(54);
  std::array<Rect, Pictures::kCount> places;
  for (std::size_t i = 0; i < pictures.count; ++i) {
    const Pictures::One& one = pictures.all[i];
    Rect at = room.column(static_cast<int>(i), static_cast<int>(pictures.count), look.space.large);
    const Rect title = at.cutTop(fontSize(look.fonts.small), look.space.tight);
    drawText(list, look.fonts.small, title.a, look.theme.text,
             wholeParts(look.fonts.small, titleOf(one), title.width()));
    if (one.cells.rows == 0) {
      const std::string why = wrapped(look.fonts.small, one.why, at.width());
      drawText(list, look.fonts.small, at.a, look.theme.textMuted, why);
      continue;
    }
    const float left = names + patchesOfRows(look, one).room(look.fonts.tiny);
    if (!one.rows.empty()) at.cutLeft(left);
    if (!one.columns.empty()) at.cutBottom(names);
    places[i] = placeOf(pictures, one, at);
    heatmaps.add(Fingerprint("compared", i), Fingerprint("compared", i, pictures.values), one.cells,
                 one.scale, places[i]);
    const MatrixPlace place{places[i], one.cells.rows, one.cells.cols};
    if (const auto over = place.hovered()) under = {i, *over};
  }
  heatmaps.draw(list);
  for (std::size_t i = 0; i < pictures.count; ++i) {
    const Pictures::One& one = pictures.all[i];
    if (one.cells.rows == 0) continue;
    list->AddRect(places[i].a, places[i].b, look.theme.panelBorder);
    if (one.rows.empty()) continue;
    const bool lit = under && under->first == i;
    AxisLabels rows{one.rows,
                    look.fonts.tiny,
                    look.theme.textMuted,
                    look.theme.text,
                    lit ? under->second.row : -1,
                    names - look.space.small};
    rows.first = 1;
    rows.curves = patchesOfRows(look, one);
    drawRowLabels(list, rows, places[i], look.space.tight);
    if (one.columns.empty()) continue;
    AxisLabels columns = rows;
    columns.texts = one.columns;
    columns.lit = lit ? under->second.col : -1;
    columns.curves = {};
    ColumnLabels(look, columns, places[i].width(), names).draw(list, places[i]);
  }
  if (!under) return std::nullopt;
  tipOf(look, pictures, under->first, under->second, places[under->first]);
  return under->second;
}

}  // namespace headscope::ui
