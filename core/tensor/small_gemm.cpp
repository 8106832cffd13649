#include "core/tensor/small_gemm.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HEADSCOPE_SMALL_GEMM 1
#endif

namespace headscope {

#ifdef HEADSCOPE_SMALL_GEMM
namespace {

constexpr Index kWidest = 64;
constexpr Index kDeepest = 64;
constexpr Index kVector = 16;

/// The operands and the result of the product of some rows. The last vector of a row holds `last`
/// numbers.
struct SmallOperands {
  const float* a;
  Index aRow, aCol;
  const float* b;
  Index bRow;
  float* c;
  Index cRow;
  Index depth;
  __mmask16 last;
  Product product;
};

/// kRows rows of c, kVectors vectors wide, which stay in registers.
template <int kRows, int kVectors>
__attribute__((target("avx512f"))) inline void smallRows(const SmallOperands& o, Index row) {
  __m512 sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_setzero_ps();
  }
  const float* a = o.a + row * o.aRow;
  const float* b = o.b;
  for (Index k = 0; k < o.depth; ++k, a += o.aCol, b += o.bRow) {
    __m512 right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      right[v] = v + 1 < kVectors ? _mm512_loadu_ps(b + v * kVector)
                                  : _mm512_maskz_loadu_ps(o.last, b + v * kVector);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const __m512 left = _mm512_set1_ps(a[r * o.aRow]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = _mm512_fmadd_ps(left, right[v], sums[r][v]);
      }
    }
  }
  const __m512 factor = _mm512_set1_ps(o.product.factor);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    float* c = o.c + (row + r) * o.cRow;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const auto lanes = v + 1 < kVectors ? static_cast<__mmask16>(0xFFFF) : o.last;
      __m512 sum = _mm512_mul_ps(factor, sums[r][v]);
      if (o.product.add) {
        sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(lanes, c + v * kVector));
      }
      _mm512_mask_storeu_ps(c + v * kVector, lanes, sum);
    }
  }
}

template <int kVectors>
__attribute__((target("avx512f"))) void smallProduct(const SmallOperands& o, Index rows) {
  constexpr int kMostRows = kVectors <= 2 ? 8 : 6;
  Index row = 0;
  for (; row + kMostRows <= rows; row += kMostRows) smallRows<kMostRows, kVectors>(o, row);
  for (; row + 3 <= rows; row += 3) smallRows<3, kVectors>(o, row);
  for (; row < rows; ++row) smallRows<1, kVectors>(o, row);
}

/// The transpose of a row-major matrix, `stride` from row to row.
void turnSmall(const ConstMatrixView& b, float* to, Index stride) {
  const Index rows = b.rows / 4 * 4;
  const Index cols = b.cols / 4 * 4;
  for (Index c = 0; c < cols; c += 4) {
    for (Index r = 0; r < rows; r += 4) {
      const float* from = b.data + c * b.colStride + r;
      __m128 r0 = _mm_loadu_ps(from);
      __m128 r1 = _mm_loadu_ps(from + b.colStride);
      __m128 r2 = _mm_loadu_ps(from + 2 * b.colStride);
      __m128 r3 = _mm_loadu_ps(from + 3 * b.colStride);
      _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
      _mm_storeu_ps(to + r * stride + c, r0);
      _mm_storeu_ps(to + (r + 1) * stride + c, r1);
      _mm_storeu_ps(to + (r + 2) * stride + c, r2);
      _mm_storeu_ps(to + (r + 3) * stride + c, r3);
    }
  }
  for (Index c = 0; c < b.cols; ++c) {
    for (Index r = c < cols ? rows : 0; r < b.rows; ++r) to[r * stride + c] = b(r, c);
  }
}

}  // namespace

bool isSmallProduct(Index depth, Index width) {
  static const bool here = __builtin_cpu_supports("avx512f") != 0;
  return here && depth <= kDeepest && width <= kWidest;
}

void smallGemm(const ConstMatrixView& a, const ConstMatrixView& b, const MatrixView& c,
               const Product& product) {
  const Index vectors = (c.cols + kVector - 1) / kVector;
  const Index inLast = c.cols - (vectors - 1) * kVector;
  SmallOperands o{a.data,      a.rowStride, a.colStride,
                  b.data,      b.rowStride, c.data,
                  c.rowStride, a.cols,      static_cast<__mmask16>((1U << inLast) - 1U),
                  product};
  alignas(64) float turned[kDeepest * kWidest];
  if (b.colStride != 1) {
    o.bRow = vectors * kVector;
    turnSmall(b, turned, o.bRow);
    o.b = turned;
  }
  switch (vectors) {
    case 1:
      return smallProduct<1>(o, c.rows);
    case 2:
      return smallProduct<2>(o, c.rows);
    case 3:
      return smallProduct<3>(o, c.rows);
    default:
      return smallProduct<4>(o, c.rows);
  }
}

#else

bool isSmallProduct(Index, Index) { return false; }
void smallGemm(const ConstMatrixView&, const ConstMatrixView&, const MatrixView&, const Product&) {}

#endif

}  // namespace headscope
