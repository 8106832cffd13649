#include "core/analysis/value_plane.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace headscope {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Vector rowOf(const ConstMatrixView& m, Index row) {
  Vector v(m.cols);
  for (Index c = 0; c < m.cols; ++c) v[c] = m(row, c);
  return v;
}

/// The values less their mean, which is given out.
Matrix centred(const ConstMatrixView& values, std::vector<double>& mean) {
  Matrix x(values.rows, values.cols);
  for (Index j = 0; j < values.rows; ++j) x.row(j) = rowOf(values, j).transpose();
  const Eigen::RowVectorXd middle = x.colwise().mean();
  x.rowwise() -= middle;
  mean.assign(middle.data(), middle.data() + middle.size());
  return x;
}

/// Direction number `n` (0: greatest variance) as a unit vector of d_k; from XᵀX or, where there
/// are fewer values than dimensions, from XXᵀ, whose eigenvectors u give Xᵀu.
Vector direction(const Matrix& x, const Matrix& eigenvectors, Index n, bool ofValues) {
  const Vector found = eigenvectors.col(eigenvectors.cols() - 1 - n);
  Vector axis = ofValues ? Vector(x.transpose() * found) : found;
  axis.normalize();
  Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  if (axis[largest] < 0.0) axis = -axis;
  return axis;
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

ValuePlane valuePlane(const Trace& trace, Index item, Index head) {
  constexpr double kRounding = 1e-10;  // of the greatest variance: no direction of its own
  const ConstMatrixView values =
      trace.tensor(TensorId::v).matrix({item, trace.config().kvHead(head)});
  ValuePlane plane;
  const Matrix x = centred(values, plane.mean);
  const bool ofValues = x.rows() < x.cols();
  const Matrix gram = ofValues ? Matrix(x * x.transpose()) : Matrix(x.transpose() * x);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram);
  const Vector& variances = solver.eigenvalues();  // ascending
  const double all = gram.trace();
  for (std::size_t n = 0; n < plane.axes.size(); ++n) {
    plane.axes[n].assign(static_cast<std::size_t>(x.cols()), 0.0);
    const auto place = static_cast<Index>(n);
    if (place >= variances.size()) continue;
    const double variance = variances[variances.size() - 1 - place];
    if (all <= 0.0 || variance <= kRounding * all) continue;
    const Vector axis = direction(x, solver.eigenvectors(), place, ofValues);
    std::copy(axis.begin(), axis.end(), plane.axes[n].begin());
    plane.varianceShare[n] = variance / all;
  }
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
