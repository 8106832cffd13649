#include "core/analysis/value_plane.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "tests/core/support/patterns.h"

namespace headscope::test {
namespace {

double valueAt(const Trace& trace, Index key, Index d, Index head = 0) {
  return trace.value({TensorId::v, 0, trace.config().kvHead(head), key, d});
}

/// Variance of the values along a direction, and in all.
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
