#include "app/ui/model/part_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/model/layer_grid.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/token_pictures.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

/// Draws a cell's number where it has room.
void drawNumber(const FrameContext& look, double value, bool isChange, const Rect& at, ImU32 fill) {
  ImFont* font = look.fonts.tiny;
  if (fontSize(font) >= at.height() || at.width() < look.px(14)) return;
  const std::string words = isChange && std::abs(value) >= 0.005
                                ? fmt::format("{:+.2f}", value)
                                : fmt::format("{:.2f}", std::abs(value));
  if (textSize(font, words).x >= at.width() - look.space.tight) return;
  drawTextCentred(ImGui::GetWindowDrawList(), font, at.centre(), legibleOn(fill), words);
}

}  // namespace

PartMap writtenPartsMap(const FrameContext& look, const char* id, const model::ModelConfig& config,
                        const std::vector<model::WrittenPart>& parts,
                        std::optional<HeadOfLayer> chosen) {
  using model::WriterKind;
  const bool bias = std::ranges::any_of(
      parts, [](const auto& part) { return part.kind == WriterKind::attentionBias; });
  // heads, then bias and network if there are any
  const Index heads = config.heads, network = heads + (bias ? 1 : 0);
  PartMap map{id, config.layers, network + (config.attentionOnly ? 0 : 1), {}, {}, {}};
  map.columnName = [&look, network, heads](Index column, float width) {
    if (column >= heads) return std::string(column == network ? "FFN" : "bias");
    return fmt::format("{}{}", width > look.px(50) ? "head " : "", column + 1);
  };
  if (config.crossAttention) {
    map.layerName = [&config](Index layer) {
      return fmt::format("{} {}", config.depthOf(layer) + 1,
                         config.readsMemory(layer) ? tr("cross") : tr("self"));
    };
  }
  std::vector<model::WrittenPart> shown;
  for (const model::WrittenPart& part : parts) {
    if (part.layer < 0 || part.kind == WriterKind::steering) continue;
    shown.push_back(part);
    const bool isHead = part.kind == WriterKind::head;
    const Index column = isHead                                   ? part.head
                         : part.kind == WriterKind::attentionBias ? heads
                                                                  : network;
    const bool isChosen =
        isHead && chosen && part.layer == chosen->layer && part.head == chosen->head;
    map.cells.push_back({part.layer, column, part.value, isChosen});
  }
  map.tip = [shown = std::move(shown), &config](std::size_t i) {
    return fmt::format("{}: {}", inWords(shown[i], config), changeInWords(shown[i].value));
  };
  return map;
}

std::optional<std::size_t> drawPartMap(const PanelContext& panel, const PartMap& map,
                                       const ColorScale& scale, const Rect& room) {
  const FrameContext& look = panel.look;
  std::optional<std::size_t> clicked;
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild(map.id, room.size());
  const float height = std::max(room.height(), LayerGrid::heightToHit(look, map.layers));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;  // without the scroll bar
  ImDrawList* list = ImGui::GetWindowDrawList();
  const LayerGrid grid(look, Rect::at(from, {width, height}), map.layers, map.columns, look.px(40),
                       map.widestLayer);
  grid.drawNames(list, map.columnName, map.layerName);
  if (map.pictures != nullptr) {
    const Rect cells = grid.cells();
    const float high = fontSize(look.fonts.tiny);
    map.pictures->drawAlong(look, list, Rect::at({cells.a.x, from.y}, {cells.width(), high}),
                            map.columns, false);
  }
  ImGui::SetCursorScreenPos(grid.cells().a);
  const ImVec2 size = grid.cells().size();
  ImGui::InvisibleButton("cells", size);
  const bool over = ImGui::IsItemHovered();
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    const PartCell& cell = map.cells[i];
    const Rect whole = grid.cell(cell.layer, cell.column);
    const Rect at = whole.width() > look.px(6) ? whole.inset(look.space.hair) : whole;
    const ImU32 fill = scale.color(look.maps, static_cast<float>(cell.value));
    list->AddRectFilled(at.a, at.b, fill);
    drawNumber(look, cell.value, map.changes, at, fill);
    if (cell.chosen) list->AddRect(at.a, at.b, look.theme.accent, 0.0F, 0, look.space.thin);
    if (!over || !whole.contains(ImGui::GetIO().MousePos)) continue;
    showTooltip(map.tip(i), whole);
    if (map.pictures != nullptr) patchesInTip(look, *map.pictures, {cell.column});
    if (ImGui::IsMouseReleased(0)) clicked = i;
  }
  ImGui::EndChild();
  return clicked;
}

}  // namespace headscope::ui
