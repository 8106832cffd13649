#include "app/ui/flow/head_heatmap.h"

#include <algorithm>

#include "app/ui/parts/reduce.h"

namespace headscope::ui {
namespace {

constexpr std::uint64_t kKeyBase = std::uint64_t{0xF10} << 48;  // apart from other panels' keys

}  // namespace

gl::HeatmapSource weightsPicture(const Trace& trace, Index item, Index head, int maxRows,
                                 int maxCols) {
  const Tensor& weights = trace.tensor(TensorId::weights);
  gl::HeatmapSource source;
  source.rows = std::clamp<int>(maxRows, 1, static_cast<int>(weights.dim(2)));
  source.cols = std::clamp<int>(maxCols, 1, static_cast<int>(weights.dim(3)));
  source.key = kKeyBase + static_cast<std::uint64_t>(head);
  // The same place shows another item's weights after a change of item.
  source.revision =
      trace.revision(TensorId::weights) * (Limits::kBatch + 1) + static_cast<std::uint64_t>(item);
  // The tensor's storage is shared, so that the picture may outlive this trace.
  const CellRows cells{weights.dim(2), weights.dim(3),
                       [weights, item, head](Index row, std::span<float> out) {
                         const auto values = weights.matrix({item, head}).row(row);
                         std::copy(values.begin(), values.end(), out.begin());
                       }};
  source.fill = [cells, rows = source.rows, cols = source.cols](float* out) {
    reduce(cells, rows, cols, Reduction::mean, out);
  };
  return source;
}

}  // namespace headscope::ui
