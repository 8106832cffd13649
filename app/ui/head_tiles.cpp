#include "app/ui/head_tiles.h"

#include <algorithm>
#include <utility>

#include "app/ui/arithmetic.h"
#include "app/ui/flash.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

MatrixRef headMatrix(TensorId tensor, const AttentionConfig& c, Index item, Index head) {
  MatrixRef ref = wholeMatrix(tensor, c, item, 0);
  ref.head = head;
  return ref;
}

HeadTiles::HeadTiles(const Panel& panel, Magnitudes& magnitudes, TensorId tensor)
    : panel_(panel),
      tensor_(tensor),
      scale_(colorScale(panel.look, panel.view, tensor,
                        tensor == TensorId::weights
                            ? 1.0F
                            : magnitudes.of(panel.trace, tensor, panel.view.item, -1))) {}

void HeadTiles::add(Index head, ImVec2 a, ImVec2 b) {
  const MatrixRef ref = headMatrix(tensor_, panel_.trace.config(), panel_.view.item, head);
  addMatrix(batch_, panel_.look, panel_.trace, ref, scale_, a, b);
  added_.push_back({ref, a, b});
}

void HeadTiles::draw(ImDrawList* list) {
  addHeatmaps(list, panel_.look.scene, std::exchange(batch_, {}));
  for (const Tile& tile : added_) drawFlash(panel_, tile.ref, tile.a, tile.b);
  added_.clear();
}

std::optional<Hover> HeadTiles::pick(Index head, ImVec2 a, ImVec2 b) const {
  if (!ImGui::IsMouseHoveringRect(a, b)) return std::nullopt;
  const MatrixRef ref = headMatrix(tensor_, panel_.trace.config(), panel_.view.item, head);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto at = [](float offset, float length, Index count) {
    return std::clamp<Index>(static_cast<Index>(offset / length * static_cast<float>(count)), 0,
                             count - 1);
  };
  const CellRef cell =
      ref.cell(at(mouse.y - a.y, b.y - a.y, ref.rows), at(mouse.x - a.x, b.x - a.x, ref.cols));
  ImGui::SetTooltip("%s = %s\n%s · %s", cellName(panel_.trace, cell).c_str(),
                    number(panel_.trace.value(cell), 6).c_str(), toString(cell).c_str(),
                    headName(tensor_, head, panel_.trace.config()).c_str());
  const bool scoreLike = info(tensor_).cols == Axis::key;
  return Hover{cell, info(tensor_).rows == Axis::query ? Lane::query : Lane::key,
               scoreLike ? Lane::key : Lane::none, cell.row, cell.col};
}

}  // namespace headscope::ui
