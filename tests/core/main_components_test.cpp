// The two main components against a full eigensolve of the Gram matrix.
#include "core/analysis/main_components.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/support/passes.h"

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

/// The greatest variances are the full solve's, each axis is an eigenvector of its own, and the two
/// stand at right angles: also where eigenvalues are equal, and no vector is the only one.
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

/// All that a few groups of equal rows leave is equal eigenvalues; a flat spectrum is the slowest.
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
}  // namespace headscope::test
