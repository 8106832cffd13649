// Our own products: against plain loops, for every rest of a vector and of a block of rows; a row
// has the same bits however many are computed with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/tensor/small_gemm.h"
#include "core/tensor/vector_gemm.h"
#include "tests/core/support/passes.h"

namespace headscope::test {
namespace {

/// A random matrix within wider rows, or the transpose of one.
struct Operand {
  Operand(Index rows, Index cols, bool turned, const char* name)
      : memory(randomTensor(turned ? Shape{cols, rows + 3} : Shape{rows, cols + 3}, 1, name, 1.0F)),
        view(turned ? ConstMatrixView{memory.data(), rows, cols, 1, rows + 3}
                    : ConstMatrixView{memory.data(), rows, cols, cols + 3, 1}) {}
  Tensor memory;
  ConstMatrixView view;
};

using Gemm = void (*)(const ConstMatrixView& a, const ConstMatrixView& b, const MatrixView& c,
                      const Product& product);

void expectProduct(Gemm gemm, Index rows, Index depth, Index width, bool turnA, bool turnB,
                   Product product) {
  const Operand a(rows, depth, turnA, "a");
  const Operand b(depth, width, turnB, "b");
  const Index stride = width + 2;
  std::vector<float> c(static_cast<std::size_t>(rows * stride), 0.5F);
  gemm(a.view, b.view, {c.data(), rows, width, stride}, product);
  std::vector<float> last(static_cast<std::size_t>(width), 0.5F);
  const ConstMatrixView lastRow{&a.view.data[(rows - 1) * a.view.rowStride], 1, depth,
                                a.view.rowStride, a.view.colStride};
  gemm(lastRow, b.view, {last.data(), 1, width, width}, product);
  const double rounding = 1e-5 * std::max(1.0, static_cast<double>(depth) / 64.0);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < stride; ++j) {
      const float got = c[static_cast<std::size_t>(i * stride + j)];
      if (j >= width) {
        ASSERT_EQ(got, 0.5F) << "past the end of a row";
        continue;
      }
      double sum = 0.0;
      for (Index k = 0; k < depth; ++k) {
        sum += static_cast<double>(a.view(i, k)) * static_cast<double>(b.view(k, j));
      }
      sum = sum * static_cast<double>(product.factor) + (product.add ? 0.5 : 0.0);
      ASSERT_NEAR(got, sum, rounding)
          << rows << " × " << depth << " × " << width << ", " << i << ", " << j;
      if (i == rows - 1) {
        ASSERT_EQ(got, last[static_cast<std::size_t>(j)]);
      }
    }
  }
}

void expectProducts(Gemm gemm, Index rows, Index depth, Index width) {
  expectProduct(gemm, rows, depth, width, false, false, {});
  expectProduct(gemm, rows, depth, width, false, true, {0.25F, true});
  expectProduct(gemm, rows, depth, width, true, false, {2.0F, false});
  expectProduct(gemm, rows, depth, width, true, true, {1.0F, true});
}

TEST(SmallGemm, IsTheProduct) {
  if (!isSmallProduct(1, 1)) return;  // unused on this processor
  EXPECT_FALSE(isSmallProduct(65, 1));
  EXPECT_FALSE(isSmallProduct(1, 65));
  for (const Index width : {1, 4, 15, 16, 17, 30, 32, 33, 48, 50, 64}) {
    for (const Index rows : {1, 2, 3, 7, 8, 9, 23}) {
      for (const Index depth : {1, 3, 4, 10, 64}) expectProducts(smallGemm, rows, depth, width);
    }
  }
}

/// A precise product differs from the exact one by the rounding of its float32 alone.
void expectPreciseProducts(Gemm gemm) {
  for (const Index width : {1, 16, 30, 48, 64}) {
    for (const Index rows : {1, 2, 5, 8, 23}) {
      for (const bool turned : {false, true}) {
        const Index depth = 64;
        expectProduct(gemm, rows, depth, width, !turned, turned, {0.25F, true, true});
        const Operand a(rows, depth, turned, "a"), b(depth, width, turned, "b");
        std::vector<float> c(static_cast<std::size_t>(rows * width));
        gemm(a.view, b.view, {c.data(), rows, width, width}, {.precise = true});
        for (Index i = 0; i < rows * width; ++i) {
          double sum = 0.0;
          for (Index k = 0; k < depth; ++k) {
            sum += static_cast<double>(a.view(i / width, k)) *
                   static_cast<double>(b.view(k, i % width));
          }
          ASSERT_NEAR(c[static_cast<std::size_t>(i)], sum, 0x1p-24 * std::abs(sum) + 1e-14);
        }
      }
    }
  }
}

TEST(SmallGemm, SumsInFloat64WhereItShallBePrecise) {
  if (isSmallProduct(1, 1)) expectPreciseProducts(smallGemm);  // else unused on this processor
}

TEST(PreciseGemm, SumsInFloat64) {
  if (isPreciseProduct(1, 1)) expectPreciseProducts(preciseGemm);
}

TEST(VectorGemm, IsTheProduct) {
  for (const Index width : {1, 7, 8, 9, 16, 30}) {
    for (const Index rows : {1, 2, 3, 4, 5, 6, 7, 23}) {
      for (const Index depth : {1, 3, 64, 511, 512, 513, 1030}) {
        expectProducts(vectorGemm, rows, depth, width);
      }
    }
  }
}

}  // namespace
}  // namespace headscope::test
