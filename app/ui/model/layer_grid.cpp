#include "app/ui/model/layer_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {

LayerGrid::LayerGrid(const FrameContext& look, Rect room, Index layers, Index columns,
                     float mostDown, const char* widest)
    : look_(look), names_(room), room_(room), layers_(layers), columns_(columns) {
  room_.cutTop(fontSize(look.fonts.tiny) + look.space.tight);
  room_.cutLeft(textSize(look.fonts.tiny, widest).x + look.space.small);
  across_ = std::max(1.0F, room_.width()) / static_cast<float>(columns);
  down_ = std::min(std::max(1.0F, room_.height()) / static_cast<float>(layers), mostDown);
}

float LayerGrid::heightToHit(const FrameContext& look, Index layers) {
  constexpr float kLeastRow = 9.0F;  // points
  return fontSize(look.fonts.tiny) + look.space.tight +
         static_cast<float>(layers) * look.px(kLeastRow);
}

void LayerGrid::drawNames(ImDrawList* list, const ColumnName& nameOf,
                          const LayerName& layerName) const {
  ImFont* font = look_.fonts.tiny;
  const float letters = fontSize(font);
  float last = -1e9F;
  for (Index column = 0; column < columns_; ++column) {
    const std::string name = nameOf(column, across_);
    const float centre = cell(0, column).centre().x;
    const float half = textSize(font, name).x * 0.5F;
    if (centre - half < last + look_.space.tight) continue;
    last = centre + half;
    drawTextCentred(list, font, {centre, (names_.a.y + room_.a.y) * 0.5F}, look_.theme.textMuted,
                    name);
  }
  last = -1e9F;
  for (Index layer = 0; layer < layers_; ++layer) {
    const float y = cell(layer, 0).centre().y - letters * 0.5F;
    if (y < last + letters) continue;
    last = y;
    drawText(list, font, {names_.a.x, y}, look_.theme.textMuted,
             layerName ? layerName(layer) : trFormat("layer {}", layer + 1));
  }
}

Rect LayerGrid::cell(Index layer, Index column) const {
  return Rect::at({room_.a.x + static_cast<float>(column) * across_,
                   room_.a.y + static_cast<float>(layer) * down_},
                  {across_, down_});
}

Rect LayerGrid::cells() const { return {cell(0, 0).a, cell(layers_ - 1, columns_ - 1).b}; }

std::optional<std::pair<Index, Index>> LayerGrid::at(ImVec2 point) const {
  if (!cells().contains(point)) return std::nullopt;
  return std::pair{std::min(layers_ - 1, static_cast<Index>((point.y - room_.a.y) / down_)),
                   std::min(columns_ - 1, static_cast<Index>((point.x - room_.a.x) / across_))};
}

}  // namespace headscope::ui
