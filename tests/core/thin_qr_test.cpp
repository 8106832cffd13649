// The QR decomposition of a tall matrix.
#include "core/tensor/thin_qr.h"

#include <gtest/gtest.h>

#include <array>

namespace headscope::test {
namespace {

TEST(ThinQr, GivesTheMatrixBackAsOrthonormalColumnsTimesATriangle) {
  const Tensor values = Tensor::fromValues(
      {3, 5}, std::array<float, 15>{2, -1, 0, 3, 1, 4, 1, -2, 5, 0.5F, 1, 1, 1, -3, 2});
  const ConstMatrixView matrix = values.matrix().transposed();  // (5, 3)
  const ThinQr qr = thinQr(matrix);
  ASSERT_EQ(qr.q.shape(), Shape({5, 3}));
  ASSERT_EQ(qr.r.shape(), Shape({3, 3}));
  const ConstMatrixView q = qr.q.matrix(), r = qr.r.matrix();
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      float sum = 0.0F;
      for (Index i = 0; i < r.rows; ++i) sum += q(row, i) * r(i, col);
      EXPECT_NEAR(sum, matrix(row, col), 1e-5F);
    }
  }
  for (Index a = 0; a < q.cols; ++a) {
    for (Index b = 0; b < q.cols; ++b) {
      float dot = 0.0F;
      for (Index row = 0; row < q.rows; ++row) dot += q(row, a) * q(row, b);
      EXPECT_NEAR(dot, a == b ? 1.0F : 0.0F, 1e-6F);
      if (a > b) {
        EXPECT_EQ(r(a, b), 0.0F);
      }
    }
  }
}

}  // namespace
}  // namespace headscope::test
