// The two main components against a full eigensolve of the Gram matrix.
#include "core/analysis/value_plane.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/support/passes.h"
#include "tests/core/support/patterns.h"

namespace headscope::test {

namespace {

using Matrix = Eigen::MatrixXd;

Matrix scatterOf(const Tensor& rows) {
  const ConstMatrixView view = rows.matrix();
  Matrix x(view.rows, view.cols);
  for (Index r = 0; r < view.rows; ++r) {
    for (Index c = 0; c < view.cols; ++c) x(r, c) = view(r, c);
  }
  const Eigen::RowVectorXd middle = x.colwise().mean();
  x.rowwise() -= middle;
  return x.transpose() * x;
}

Eigen::VectorXd vectorOf(const std::vector<double>& axis) {
  return Eigen::Map<const Eigen::VectorXd>(axis.data(), static_cast<Index>(axis.size()));
}

/// Checks that the largest variances equal those of the full solve, and that the axes are
/// orthogonal eigenvectors, also where equal eigenvalues leave a choice of vectors.
void expectTheFullSolves(const Tensor& rows, const std::string& name) {
  const auto found = mainComponents(rows.matrix());
  ASSERT_TRUE(found) << name;
  const Matrix scatter = scatterOf(rows);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(scatter);
  const Eigen::VectorXd& variances = solver.eigenvalues();
  const double all = scatter.trace();
  for (Index n = 0; n < 2; ++n) {
    const auto place = static_cast<std::size_t>(n);
    const bool varies = all > 0.0 && n < variances.size();
    const double expected = varies ? variances[variances.size() - 1 - n] / all : 0.0;
    EXPECT_NEAR(found->varianceShare[place], expected, 1e-9) << name << ", component " << n;
    const Eigen::VectorXd axis = vectorOf(found->axes[place]);
    if (expected < 1e-9) continue;
    EXPECT_NEAR(axis.norm(), 1.0, 1e-9) << name;
    EXPECT_LE((scatter * axis - expected * all * axis).norm(), 1e-7 * all) << name;
    Index largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    EXPECT_GT(axis[largest], 0.0) << name;
  }
  EXPECT_NEAR(vectorOf(found->axes[0]).dot(vectorOf(found->axes[1])), 0.0, 1e-9) << name;
}

TEST(MainComponents, AreThoseOfTheFullSolve) {
  for (const auto& [rows, width] : std::vector<std::pair<Index, Index>>{{1, 1},
                                                                        {2, 5},
                                                                        {5, 2},
                                                                        {6, 64},
                                                                        {64, 6},
                                                                        {300, 40},
                                                                        {40, 300},
                                                                        {200, 200},
                                                                        {7, 1},
                                                                        {70, 70}}) {
    expectTheFullSolves(randomTensor({rows, width}, 3, "rows", 1.5F),
                        fmt::format("{} × {}", rows, width));
  }
}

/// A few groups of equal rows leave only equal eigenvalues; a flat spectrum is the slowest case.
TEST(MainComponents, OfEqualVariancesAreAnyTwo) {
  for (const Index count : {2, 3, 8, 30}) {
    Tensor groups = Tensor::zeros({4 * count, 50});
    for (Index r = 0; r < 4 * count; ++r) groups.mutableMatrix()(r, r % count) = 1.0F;
    expectTheFullSolves(groups, fmt::format("{} groups", count));
  }
  // the second far below the first, and the third just below the second
  Tensor apart = Tensor::zeros({6, 20});
  const float lengths[] = {1000.0F, 0.5F, 0.49F};
  for (Index r = 0; r < 6; ++r) {
    apart.mutableMatrix()(r, r / 2) = lengths[r / 2] * (r % 2 == 0 ? 1.0F : -1.0F);
  }
  expectTheFullSolves(apart, "far apart");
  EXPECT_NEAR(mainComponents(apart.matrix())->axes[1][1], 1.0, 1e-6);
}

TEST(MainComponents, OfRowsThatAreAllTheSameThereAreNone) {
  const auto found =
      mainComponents(Tensor::fromValues({3, 2}, std::vector<float>{1, 2, 1, 2, 1, 2}).matrix());
  EXPECT_EQ(found->varianceShare[0], 0.0);
  EXPECT_EQ(found->axes[0], (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(found->mean, (std::vector<double>{1.0, 2.0}));
}

TEST(MainComponents, GiveNothingWhereCancelled) {
  const std::atomic<bool> cancelled{true};
  const Tensor rows = randomTensor({20, 10}, 1, "rows", 1.0F);
  EXPECT_FALSE(mainComponents(rows.matrix(), {0, &cancelled, nullptr}).has_value());
}

}  // namespace

namespace {

double valueAt(const Trace& trace, Index key, Index d, Index head = 0) {
  return trace.value({TensorId::v, 0, trace.config().kvHead(head), key, d});
}

/// The variance of the values along an axis of the plane.
double varianceAlong(const Trace& trace, const ValuePlane& plane, std::size_t axis) {
  double sum = 0.0;
  for (Index j = 0; j < trace.config().keys(); ++j) {
    double place = 0.0;
    for (Index d = 0; d < trace.config().dK(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      place += plane.axes[axis][at] * (valueAt(trace, j, d) - plane.mean[at]);
    }
    sum += place * place;
  }
  return sum;
}

double varianceOfAll(const Trace& trace, const ValuePlane& plane) {
  double sum = 0.0;
  for (Index j = 0; j < trace.config().keys(); ++j) {
    for (Index d = 0; d < trace.config().dK(); ++d) {
      sum += std::pow(valueAt(trace, j, d) - plane.mean[static_cast<std::size_t>(d)], 2);
    }
  }
  return sum;
}

/// With fewer values than dimensions and with more: unit, orthogonal, and eigenvectors: along each,
/// the scatter of the values is the axis itself times its variance.
TEST(ValuePlane, AxesAreThePrincipalComponents) {
  for (const AttentionConfig& c : {sized(32, 2, 6), sized(12, 3, 20), sized(16, 4, 5, 2)}) {
    const auto trace = runAttention(randomDocument(c));
    const ValuePlane plane = *valuePlane(*trace, 0, 0);
    const double all = varianceOfAll(*trace, plane);
    double product = 0.0;
    for (std::size_t n = 0; n < 2; ++n) {
      const auto& axis = plane.axes[n];
      double length = 0.0, largest = 0.0;
      for (std::size_t d = 0; d < axis.size(); ++d) {
        length += axis[d] * axis[d];
        if (std::abs(axis[d]) > std::abs(largest)) largest = axis[d];
        if (n == 1) product += axis[d] * plane.axes[0][d];
      }
      EXPECT_NEAR(length, 1.0, 1e-9);
      EXPECT_GT(largest, 0.0);
      EXPECT_NEAR(varianceAlong(*trace, plane, n) / all, plane.varianceShare[n], 1e-9);
      for (Index d = 0; d < c.dK(); ++d) {
        double scatter = 0.0;  // row d of XᵀX, times the axis
        for (Index j = 0; j < c.keys(); ++j) {
          const PlanePoint point = plane.values[static_cast<std::size_t>(j)];
          scatter += (valueAt(*trace, j, d) - plane.mean[static_cast<std::size_t>(d)]) *
                     (n == 0 ? point.x : point.y);
        }
        EXPECT_NEAR(scatter, plane.varianceShare[n] * all * axis[static_cast<std::size_t>(d)],
                    1e-6 * all);
      }
    }
    EXPECT_NEAR(product, 0.0, 1e-9);
    EXPECT_GE(plane.varianceShare[0], plane.varianceShare[1]);
    EXPECT_LE(plane.varianceShare[0] + plane.varianceShare[1], 1.0 + 1e-9);
  }
}

TEST(ValuePlane, WhereNothingVariesThereIsNoAxis) {
  const ValuePlane one = *valuePlane(*runAttention(randomDocument(sized(8, 2, 1))), 0, 0);
  ASSERT_EQ(one.values.size(), 1U);
  EXPECT_EQ(one.values[0].x, 0.0);
  EXPECT_EQ(one.varianceShare[0], 0.0);
  // two values lie on a line
  const ValuePlane two = *valuePlane(*runAttention(randomDocument(sized(8, 2, 2))), 0, 0);
  EXPECT_NEAR(two.varianceShare[0], 1.0, 1e-9);
  EXPECT_EQ(two.varianceShare[1], 0.0);
  EXPECT_EQ(two.values[0].y, 0.0);
  // heads of width one
  const ValuePlane line = *valuePlane(*runAttention(randomDocument(sized(2, 2, 5))), 0, 0);
  EXPECT_NEAR(line.varianceShare[0], 1.0, 1e-9);
}

TEST(WeightedMean, LiesAmongTheValues) {
  AttentionConfig c = sized(16, 4, 6, 2);
  c.headGains = {1.0F, 1.0F, 0.5F, 1.0F};
  c.mask.causal = true;
  const auto trace = runAttention(randomDocument(c));
  const ValuePlane plane = *valuePlane(*trace, 0, 2);
  const WeightedMean mean = weightedMean(*trace, plane, {0, 2, 3});
  PlanePoint expected;
  for (Index j = 0; j < 6; ++j) {
    const double weight = trace->value({TensorId::weights, 0, 2, 3, j});
    expected.x += weight * plane.values[static_cast<std::size_t>(j)].x;
    expected.y += weight * plane.values[static_cast<std::size_t>(j)].y;
  }
  EXPECT_NEAR(mean.weightSum, 1.0, 1e-6);
  EXPECT_NEAR(mean.point.x, expected.x, 1e-5);
  EXPECT_NEAR(mean.point.y, expected.y, 1e-5);
  // the head's own output has its gain: half way between the mean and the origin of v
  const PlanePoint zero = plane.project(std::vector<float>(4, 0.0F));
  EXPECT_NEAR(mean.headOutput.x, (mean.point.x + zero.x) / 2, 1e-5);
  EXPECT_NEAR(mean.headOutput.y, (mean.point.y + zero.y) / 2, 1e-5);
}

TEST(QueryKeyProduct, IsLengthsAndAnAngle) {
  const auto trace = runAttention(randomDocument(sized(24, 4, 6, 2)));
  const QueryKeyProduct found = queryKeyProduct(*trace, {0, 3, 4}, 2);
  EXPECT_NEAR(found.product, trace->value({TensorId::rawScores, 0, 3, 4, 2}), 1e-5);
  double q = 0.0, k = 0.0;
  for (Index d = 0; d < 6; ++d) {
    q += std::pow(trace->value({TensorId::q, 0, 3, 4, d}), 2);
    k += std::pow(trace->value({TensorId::k, 0, 1, 2, d}), 2);
  }
  EXPECT_NEAR(found.queryLength, std::sqrt(q), 1e-6);
  EXPECT_NEAR(found.keyLength, std::sqrt(k), 1e-6);
  EXPECT_NEAR(std::sqrt(q * k) * *found.cosine, found.product, 1e-6);
  EXPECT_NEAR(std::cos(*found.degrees() * std::numbers::pi / 180), *found.cosine, 1e-9);

  const auto silent = runAttention(changed(randomDocument(sized(8, 2, 3)), [](Document& d) {
    d.weights.wK = Tensor::zeros({8, 8});
    d.weights.bK = Tensor::zeros({8});
  }));
  const QueryKeyProduct none = queryKeyProduct(*silent, {0, 0, 0}, 1);
  EXPECT_EQ(none.product, 0.0);
  EXPECT_EQ(none.cosine, std::nullopt);
  EXPECT_EQ(none.degrees(), std::nullopt);
}

}  // namespace

}  // namespace headscope::test
