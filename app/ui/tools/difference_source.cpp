#include "app/ui/tools/difference_source.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/analysis/trace_difference.h"

namespace headscope::ui {
namespace {

constexpr std::uint64_t kDifference = 0x646966666572ULL;
constexpr float kBeyond = 1.0e30F;  // an infinite difference: past the end of every scale

/// first − second; masked where both are.
RowSource differenceRows(const Trace& first, const Trace& second, const MatrixRef& ref) {
  const auto read = [&first, &second, ref](Index r, std::span<float> cells) {
    const auto rowOf = [&](const Trace& trace) {
      std::vector<float> values(cells.size());
      trace.tile(ref.tensor, ref.item, ref.head, ref.row0 + r, 1, ref.col0, ref.cols,
                 values.data());
      return values;
    };
    const std::vector<float> a = rowOf(first), b = rowOf(second);
    std::vector<float> shown(cells.size());
    rowsOf(first, ref).read(r, cells);
    rowsOf(second, ref).read(r, shown);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c] <= gl::kMaskedCell && shown[c] <= gl::kMaskedCell) continue;
      cells[c] = std::clamp(difference(b[c], a[c]), -kBeyond, kBeyond);
    }
  };
  return {ref.rows, ref.cols, read};
}

}  // namespace

void fillDifference(const Trace& first, const Trace& second, const MatrixRef& ref, int rows,
                    int cols, float* out) {
  fillHeatmap(differenceRows(first, second, ref), ref.transposed, rows, cols, out);
}

gl::HeatmapSource differenceSource(const Trace& first, const Trace& second, MatrixRef ref,
                                   std::uint64_t salt, ImVec2 pixels) {
  ref.salt = salt ^ kDifference;
  const SourceSize size = sourceSize(ref, pixels);
  gl::HeatmapSource source;
  source.rows = size.rows;
  source.cols = size.cols;
  source.key = keyOf(ref);
  source.revision = (first.pass() << 32U) ^ second.pass();
  source.fill = [&first, &second, ref, size](float* out) {
    fillDifference(first, second, ref, size.rows, size.cols, out);
  };
  return source;
}

}  // namespace headscope::ui
