#include "app/ui/flow/head_heatmap.h"

#include <algorithm>
#include <vector>

namespace headscope::ui {
namespace {

constexpr std::uint64_t kKeyBase = std::uint64_t{0xF10} << 48;  // apart from other panels' keys

/// A source cell's share in the picture's cells along one axis; a cell cut in two counts in parts.
struct Spread {
  int first = 0;
  double inFirst = 1;  // the rest is in first + 1
};

std::vector<Spread> spread(Index from, int to) {
  std::vector<Spread> shares(static_cast<std::size_t>(from));
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  for (Index i = 0; i < from; ++i) {
    Spread& share = shares[static_cast<std::size_t>(i)];
    const double begin = static_cast<double>(i) * ratio, end = begin + ratio;
    share.first = std::min(static_cast<int>(begin), to - 1);
    const double border = share.first + 1;
    share.inFirst = share.first + 1 >= to || end <= border ? 1 : (border - begin) / ratio;
  }
  return shares;
}

}  // namespace

void meanReduce(const ConstMatrixView& matrix, int rows, int cols, float* out) {
  const std::vector<Spread> rowShares = spread(matrix.rows, rows);
  const std::vector<Spread> colShares = spread(matrix.cols, cols);
  std::vector<double> sums(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  std::vector<double> line(static_cast<std::size_t>(cols));
  for (Index r = 0; r < matrix.rows; ++r) {
    std::fill(line.begin(), line.end(), 0.0);
    for (Index c = 0; c < matrix.cols; ++c) {
      const Spread& share = colShares[static_cast<std::size_t>(c)];
      const double value = matrix(r, c);
      line[static_cast<std::size_t>(share.first)] += value * share.inFirst;
      if (share.inFirst < 1) {
        line[static_cast<std::size_t>(share.first) + 1] += value * (1 - share.inFirst);
      }
    }
    const Spread& share = rowShares[static_cast<std::size_t>(r)];
    double* target = sums.data() + static_cast<std::ptrdiff_t>(share.first) * cols;
    for (std::size_t c = 0; c < line.size(); ++c) {
      target[c] += line[c] * share.inFirst;
      if (share.inFirst < 1) target[c + line.size()] += line[c] * (1 - share.inFirst);
    }
  }
  const double covered =
      static_cast<double>(matrix.rows) / rows * (static_cast<double>(matrix.cols) / cols);
  std::transform(sums.begin(), sums.end(), out,
                 [covered](double sum) { return static_cast<float>(sum / covered); });
}

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
  source.fill = [weights, item, head, rows = source.rows, cols = source.cols](float* out) {
    meanReduce(weights.matrix({item, head}), rows, cols, out);
  };
  return source;
}

}  // namespace headscope::ui
