#include "core/analysis/value_plane.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/main_components.h"

namespace headscope {
namespace {

using Vector = Eigen::VectorXd;

Vector rowOf(const ConstMatrixView& m, Index row) {
  Vector v(m.cols);
  for (Index c = 0; c < m.cols; ++c) v[c] = m(row, c);
  return v;
}

}  // namespace

PlanePoint ValuePlane::project(std::span<const float> vector) const {
  PlanePoint point;
  for (std::size_t d = 0; d < vector.size(); ++d) {
    const double offset = static_cast<double>(vector[d]) - mean[d];
    point.x += axes[0][d] * offset;
    point.y += axes[1][d] * offset;
  }
  return point;
}

std::optional<ValuePlane> valuePlane(const Trace& trace, Index item, Index head,
                                     const Execution& execution) {
  const ConstMatrixView values =
      trace.tensor(TensorId::v).matrix({item, trace.config().kvHead(head)});
  auto components = mainComponents(values, execution);
  if (!components) return std::nullopt;
  ValuePlane plane{
      {}, components->varianceShare, std::move(components->mean), std::move(components->axes)};
  std::vector<float> row(static_cast<std::size_t>(values.cols));
  for (Index j = 0; j < values.rows; ++j) {
    for (Index d = 0; d < values.cols; ++d) row[static_cast<std::size_t>(d)] = values(j, d);
    plane.values.push_back(plane.project(row));
  }
  return plane;
}

WeightedMean weightedMean(const Trace& trace, const ValuePlane& plane, const RowRef& row) {
  const AttentionConfig& c = trace.config();
  const ConstMatrixView values = trace.tensor(TensorId::v).matrix({row.item, c.kvHead(row.head)});
  const ConstMatrixView weights = trace.tensor(TensorId::weights).matrix({row.item, row.head});
  const ConstMatrixView heads = trace.tensor(TensorId::heads).matrix({row.item, row.head});
  WeightedMean found;
  Vector sum = Vector::Zero(c.dK());
  for (Index j = 0; j < c.keys(); ++j) {
    const double weight = weights(row.query, j);
    if (weight == 0.0) continue;
    found.weightSum += weight;
    sum += weight * rowOf(values, j);
  }
  const Eigen::VectorXf mixed = sum.cast<float>();
  found.point = plane.project({mixed.data(), static_cast<std::size_t>(mixed.size())});
  found.headOutput = plane.project(heads.row(row.query));
  return found;
}

std::optional<double> QueryKeyProduct::degrees() const {
  if (!cosine) return std::nullopt;
  return std::acos(std::clamp(*cosine, -1.0, 1.0)) * 180.0 / std::numbers::pi;
}

QueryKeyProduct queryKeyProduct(const Trace& trace, const RowRef& row, Index key) {
  const Vector q = rowOf(trace.tensor(TensorId::q).matrix({row.item, row.head}), row.query);
  const Vector k =
      rowOf(trace.tensor(TensorId::k).matrix({row.item, trace.config().kvHead(row.head)}), key);
  QueryKeyProduct found{q.norm(), k.norm(), std::nullopt, q.dot(k)};
  const double lengths = found.queryLength * found.keyLength;
  if (lengths > 0.0) found.cosine = found.product / lengths;
  return found;
}

}  // namespace headscope
