#include "app/ui/flash.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/analysis/trace_difference.h"

namespace headscope::ui {
namespace {

/// The largest change in each of rows × cols parts of the matrix as shown.
std::vector<float> changesOf(const Panel& panel, const MatrixRef& ref, Index rows, Index cols) {
  std::vector<float> largest(static_cast<std::size_t>(rows * cols), 0.0F);
  std::vector<float> before(static_cast<std::size_t>(ref.cols));
  std::vector<float> after(before.size());
  for (Index r = 0; r < ref.rows; ++r) {
    const Index row = ref.row0 + r;
    panel.flash.before->tile(ref.tensor, ref.item, ref.head, row, 1, ref.col0, ref.cols,
                             before.data());
    panel.trace.tile(ref.tensor, ref.item, ref.head, row, 1, ref.col0, ref.cols, after.data());
    for (Index c = 0; c < ref.cols; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const float change = std::abs(difference(before[at], after[at]));
      const Index down = ref.transposed ? c : r;
      const Index across = ref.transposed ? r : c;
      float& part = largest[static_cast<std::size_t>(down * rows / ref.shownRows() * cols +
                                                     across * cols / ref.shownCols())];
      if (std::isfinite(change)) part = std::max(part, change);
    }
  }
  return largest;
}

}  // namespace

void drawFlash(const Panel& panel, const MatrixRef& ref, ImVec2 a, ImVec2 b) {
  const Trace* before = panel.flash.before;
  if (before == nullptr || ref.maskOnly || !comparable(*before, panel.trace, ref.tensor) ||
      before->revision(ref.tensor) == panel.trace.revision(ref.tensor)) {
    return;
  }
  const float smallest = panel.look.px(4);
  const auto partsOf = [smallest](float length, Index cells) {
    return std::clamp<Index>(static_cast<Index>(length / smallest), 1, cells);
  };
  const Index rows = partsOf(b.y - a.y, ref.shownRows());
  const Index cols = partsOf(b.x - a.x, ref.shownCols());
  const std::vector<float> changes = changesOf(panel, ref, rows, cols);
  const float most = *std::max_element(changes.begin(), changes.end());
  if (most <= 0.0F) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 cell((b.x - a.x) / static_cast<float>(cols), (b.y - a.y) / static_cast<float>(rows));
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) {
      const float share = changes[static_cast<std::size_t>(r * cols + c)] / most;
      const float alpha = share * panel.flash.strength * 0.75F;
      if (alpha < 0.04F) continue;
      const ImVec2 from(a.x + static_cast<float>(c) * cell.x, a.y + static_cast<float>(r) * cell.y);
      list->AddRectFilled(from, {from.x + cell.x, from.y + cell.y},
                          withAlpha(panel.look.theme.flash, alpha));
    }
  }
}

}  // namespace headscope::ui
