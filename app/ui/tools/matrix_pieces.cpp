#include "app/ui/tools/matrix_pieces.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"
#include "core/words/arithmetic.h"

namespace headscope::ui {

ColorScale MatrixPieces::scaleOf(const MatrixRef& ref) {
  const float magnitude = ref.tensor == TensorId::weights
                              ? 1.0F
                              : magnitudes_.of(panel_.trace, ref.tensor, ref.item, ref.head);
  return colorScale(panel_.look, panel_.view, ref.tensor, magnitude);
}

void MatrixPieces::add(const MatrixRef& ref, const ColorScale& scale, ImVec2 a, ImVec2 b,
                       float opacity) {
  if (ref.rows < 1 || ref.cols < 1) return;
  addMatrix(batch_, panel_.look, panel_.trace, ref, scale, a, b);
  batch_.quads.back().opacity = opacity;
  placed_.push_back({ref, a, b});
}

void MatrixPieces::addValues(gl::HeatmapSource source, const ColorScale& scale, ImVec2 a, ImVec2 b,
                             float opacity) {
  addSource(batch_, panel_.look, std::move(source), scale, a, b);
  batch_.quads.back().opacity = opacity;
}

void MatrixPieces::addEmpty(ImVec2 a, ImVec2 b) {
  constexpr std::uint64_t kKey = 0x656D707479ULL;
  if (b.x <= a.x || b.y <= a.y) return;
  addValues({kKey, 1, 1, 1, [](float* out) { *out = gl::kMaskedCell; }}, {}, a, b);
}

void MatrixPieces::draw(ImDrawList* list) {
  addHeatmaps(list, panel_.look.scene, std::exchange(batch_, {}));
}

bool MatrixPieces::pick() {
  if (!ImGui::IsWindowHovered()) return false;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto at = [](float offset, float length, Index count) {
    return std::clamp<Index>(static_cast<Index>(offset / length * static_cast<float>(count)), 0,
                             count - 1);
  };
  for (const Placed& p : placed_) {
    if (!ImGui::IsMouseHoveringRect(p.a, p.b)) continue;
    const CellRef cell = p.ref.cell(at(mouse.y - p.a.y, p.b.y - p.a.y, p.ref.shownRows()),
                                    at(mouse.x - p.a.x, p.b.x - p.a.x, p.ref.shownCols()));
    ImGui::SetTooltip("%s = %s\n%s", cellName(panel_.trace, cell).c_str(),
                      number(panel_.trace.value(cell), 6).c_str(), toString(cell).c_str());
    if (ImGui::IsMouseClicked(0)) panel_.view.selected = cell;
    return true;
  }
  return false;
}

}  // namespace headscope::ui
