#include "core/analysis/value_plane.h"

#include <Eigen/Core>
#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/attention/config.h"
#include "core/base/random.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Index kWanted = 2;
constexpr Index kMostVectors = 32;  // then it starts again from the best of them
constexpr Index kKept = 8;
constexpr int kMostSteps = 2000;

/// The rows less their mean, which is given out.
Matrix centred(const ConstMatrixView& rows, std::vector<double>& mean) {
  Matrix x(rows.rows, rows.cols);
  for (Index c = 0; c < rows.cols; ++c) {
    for (Index r = 0; r < rows.rows; ++r) x(r, c) = rows(r, c);
  }
  const Eigen::RowVectorXd middle = x.colwise().mean();
  x.rowwise() -= middle;
  mean.assign(middle.data(), middle.data() + middle.size());
  return x;
}

/// Columns in directions that depend on the place alone.
Matrix drawn(Index rows, Index cols) {
  const RandomStream stream(1, "main components");
  Matrix columns(rows, cols);
  for (Index i = 0; i < columns.size(); ++i) {
    columns.data()[i] = stream.normal(static_cast<std::uint64_t>(i));
  }
  return columns;
}

/// The eigenvalues of a small symmetric matrix, ascending, and its eigenvectors as columns: cyclic
/// rotations (Jacobi 1846; Golub and Van Loan, Matrix Computations, 8.5). Eigen's own solver takes
/// less time to run, which nobody sees at this size, and ten seconds to compile.
struct SmallEigen {
  explicit SmallEigen(Matrix a) : vectors(Matrix::Identity(a.rows(), a.cols())) {
    const Index size = a.rows();
    constexpr int kMostSweeps = 30;  // it takes eight or so
    const double least = std::numeric_limits<double>::epsilon() * a.norm();
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      bool turned = false;
      for (Index p = 0; p + 1 < size; ++p) {
        for (Index q = p + 1; q < size; ++q) {
          if (std::abs(a(p, q)) * static_cast<double>(size) <= least) continue;
          Eigen::JacobiRotation<double> rotation;
          rotation.makeJacobi(a, p, q);
          a.applyOnTheLeft(p, q, rotation.adjoint());
          a.applyOnTheRight(p, q, rotation);
          vectors.applyOnTheRight(p, q, rotation);
          turned = true;
        }
      }
      if (!turned) break;
    }
    std::vector<Index> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index i, Index j) { return a(i, i) < a(j, j); });
    values = a.diagonal()(order);
    vectors = vectors(Eigen::all, order).eval();
  }
  Vector values;
  Matrix vectors;
};

/// An orthonormal basis that grows by the residuals of XᵀX (block Lanczos, restarted with the best
/// directions: Wu and Simon 2000), and the eigenvectors of XᵀX within it.
class Subspace {
 public:
  explicit Subspace(const Matrix& x) : x_(x) {
    basis_.resize(x.cols(), 0);
    mapped_.resize(x.cols(), 0);
    grow(x.transpose() * (x * drawn(x.cols(), kWanted)));
  }

  /// Improves the components by one step. False where no further improvement is possible.
  bool improve() {
    find();
    Matrix residuals(x_.cols(), 0);
    for (Index n = 0; n < std::min(kWanted, count()); ++n) {
      const Vector residual = mapped_ * weightsOf(n) - variance(n) * axis(n);
      if (residual.norm() <= kAccuracy * variance(n) + kRounding * variance(0)) continue;
      residuals.conservativeResize(Eigen::NoChange, residuals.cols() + 1);
      residuals.col(residuals.cols() - 1) = residual;
    }
    if (residuals.cols() == 0) return false;
    if (basis_.cols() + residuals.cols() > kMostVectors) restart();
    return grow(std::move(residuals));
  }

  /// The components after the last step, the greatest variance first.
  Index count() const { return variances_.size(); }
  double variance(Index n) const { return variances_[variances_.size() - 1 - n]; }
  Vector axis(Index n) const {
    return (basis_.leftCols(vectors_.rows()) * weightsOf(n)).normalized();
  }

 private:
  static constexpr double kAccuracy = 1e-9;
  static constexpr double kRounding = 1e-13;  // of the greatest variance

  /// The coefficients of direction n in the basis of the last step.
  Vector weightsOf(Index n) const { return vectors_.col(vectors_.cols() - 1 - n); }

  void find() {
    const Matrix small = basis_.transpose() * mapped_;
    SmallEigen found((small + small.transpose()) / 2);
    variances_ = std::move(found.values);
    vectors_ = std::move(found.vectors);
  }

  void restart() {
    const Matrix best = vectors_.rightCols(std::min(kKept, vectors_.cols()));
    basis_ = (basis_ * best).eval();
    mapped_ = (mapped_ * best).eval();
    variances_ = variances_.tail(best.cols()).eval();
    vectors_ = Matrix::Identity(best.cols(), best.cols());
  }

  /// Adds to the basis the parts of the columns outside it. False where there are none.
  bool grow(Matrix columns) {
    const Index before = basis_.cols();
    for (Index n = 0; n < columns.cols(); ++n) {
      Vector column = columns.col(n);
      const double length = column.norm();
      for (int again = 0; again < 2; ++again) column -= basis_ * (basis_.transpose() * column);
      if (column.norm() <= kRounding * length) continue;
      basis_.conservativeResize(Eigen::NoChange, basis_.cols() + 1);
      basis_.col(basis_.cols() - 1) = column.normalized();
    }
    const Index added = basis_.cols() - before;
    if (added == 0) return false;
    mapped_.conservativeResize(Eigen::NoChange, basis_.cols());
    mapped_.rightCols(added) = x_.transpose() * (x_ * basis_.rightCols(added));
    return true;
  }

  const Matrix& x_;
  Matrix basis_, mapped_;  // and XᵀX times it
  Vector variances_;       // of the directions in it, ascending
  Matrix vectors_;         // and which these are
};

std::vector<double> turned(Vector axis) {
  Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  if (axis[largest] < 0.0) axis = -axis;
  return {axis.begin(), axis.end()};
}

}  // namespace

std::optional<MainComponents> mainComponents(const ConstMatrixView& rows,
                                             const ExecutionContext& execution) {
  constexpr double kNoDirection = 1e-10;  // of all variance: rounding
  MainComponents found;
  found.axes.fill(std::vector<double>(static_cast<std::size_t>(rows.cols), 0.0));
  const Matrix x = centred(rows, found.mean);
  const double all = x.squaredNorm();
  if (execution.stop()) return std::nullopt;
  if (all <= 0.0) return found;
  Subspace subspace(x);
  for (int step = 0; step < kMostSteps && subspace.improve(); ++step) {
    if (execution.stop()) return std::nullopt;
  }
  for (Index n = 0; n < std::min(kWanted, subspace.count()); ++n) {
    if (subspace.variance(n) <= kNoDirection * all) continue;
    const auto place = static_cast<std::size_t>(n);
    found.axes[place] = turned(subspace.axis(n));
    found.varianceShare[place] = subspace.variance(n) / all;
  }
  return found;
}

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
                                     const ExecutionContext& execution) {
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
  HeadRows rows(trace, TensorId::weights, row.item, row.head);
  const std::span<const float> weights = rows.row(row.query);
  const ConstMatrixView heads = trace.tensor(TensorId::heads).matrix({row.item, row.head});
  WeightedMean found;
  Vector sum = Vector::Zero(c.dK());
  for (Index j = 0; j < c.keys(); ++j) {
    const double weight = weights[static_cast<std::size_t>(j)];
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
  const AttentionConfig& c = trace.config();
  const Vector q = rowOf(trace.tensor(scoredQueries(c)).matrix({row.item, row.head}), row.query);
  const Vector k = rowOf(trace.tensor(scoredKeys(c)).matrix({row.item, c.kvHead(row.head)}), key);
  QueryKeyProduct found{q.norm(), k.norm(), std::nullopt, q.dot(k)};
  const double lengths = found.queryLength * found.keyLength;
  if (lengths > 0.0) found.cosine = found.product / lengths;
  return found;
}

}  // namespace headscope
