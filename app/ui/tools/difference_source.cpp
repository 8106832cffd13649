#include "app/ui/tools/difference_source.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/analysis/trace_difference.h"

namespace headscope::ui {
namespace {

constexpr std::uint64_t kDifference = 0x646966666572ULL;
constexpr float kBeyond = 1.0e30F;  // an infinite difference: past the end of every scale

/// One row of the part, and which of its cells are masked.
struct Line {
  explicit Line(Index cols)
      : values(static_cast<std::size_t>(cols)), shown(static_cast<std::size_t>(cols)) {}

  void read(const Trace& trace, MatrixRef ref, Index row) {
    ref.row0 = row;
    ref.rows = 1;
    ref.transposed = false;
    trace.tile(ref.tensor, ref.item, ref.head, row, 1, ref.col0, ref.cols, values.data());
    fillHeatmap(trace, ref, 1, static_cast<int>(ref.cols), shown.data());
  }
  bool masked(std::size_t col) const { return shown[col] <= gl::kMaskedCell; }

  std::vector<float> values;
  std::vector<float> shown;
};

}  // namespace

void fillDifference(const Trace& first, const Trace& second, const MatrixRef& ref, int rows,
                    int cols, float* out) {
  std::fill_n(out, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols),
              gl::kMaskedCell);
  Line a(ref.cols);
  Line b(ref.cols);
  for (Index r = 0; r < ref.rows; ++r) {
    a.read(first, ref, ref.row0 + r);
    b.read(second, ref, ref.row0 + r);
    for (Index c = 0; c < ref.cols; ++c) {
      const auto col = static_cast<std::size_t>(c);
      if (a.masked(col) && b.masked(col)) continue;
      const float change = difference(b.values[col], a.values[col]);
      const Index down = (ref.transposed ? c : r) * rows / ref.shownRows();
      const Index across = (ref.transposed ? r : c) * cols / ref.shownCols();
      float& cell = out[down * cols + across];
      if (cell <= gl::kMaskedCell || std::abs(change) > std::abs(cell)) {
        cell = std::clamp(change, -kBeyond, kBeyond);
      }
    }
  }
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
