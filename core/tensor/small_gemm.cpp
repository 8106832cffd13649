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

#define HEADSCOPE_SMALL __attribute__((target("avx512f"))) inline

/// The sums of a vector of c, in float32.
struct FloatSums {
  using Vector = __m512;

  HEADSCOPE_SMALL void clear() { sums = _mm512_setzero_ps(); }
  HEADSCOPE_SMALL static Vector widened(__m512 values) { return values; }
  HEADSCOPE_SMALL void addProduct(float left, const Vector& right) {
    sums = _mm512_fmadd_ps(_mm512_set1_ps(left), right, sums);
  }
  HEADSCOPE_SMALL __m512 rounded() const { return sums; }

  __m512 sums;
};

/// The sums in float64, rounded once.
struct DoubleSums {
  struct Vector {
    __m512d low, high;
  };

  HEADSCOPE_SMALL void clear() { sums = {_mm512_setzero_pd(), _mm512_setzero_pd()}; }
  HEADSCOPE_SMALL static Vector widened(__m512 values) {
    const __m256d high = _mm512_extractf64x4_pd(_mm512_castps_pd(values), 1);
    return {_mm512_cvtps_pd(_mm512_castps512_ps256(values)),
            _mm512_cvtps_pd(_mm256_castpd_ps(high))};
  }
  HEADSCOPE_SMALL void addProduct(float left, const Vector& right) {
    const __m512d each = _mm512_set1_pd(static_cast<double>(left));
    sums.low = _mm512_fmadd_pd(each, right.low, sums.low);
    sums.high = _mm512_fmadd_pd(each, right.high, sums.high);
  }
  HEADSCOPE_SMALL __m512 rounded() const {
    const __m512d low = _mm512_castps_pd(_mm512_castps256_ps512(_mm512_cvtpd_ps(sums.low)));
    const __m256d high = _mm256_castps_pd(_mm512_cvtpd_ps(sums.high));
    return _mm512_castpd_ps(_mm512_insertf64x4(low, high, 1));
  }

  Vector sums;
};

/// kRows rows of c, kVectors vectors wide, whose sums stay in registers.
template <typename Sums, int kRows, int kVectors>
HEADSCOPE_SMALL void smallRows(const SmallOperands& o, Index row) {
  Sums sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[r][v].clear();
  }
  const float* a = o.a + row * o.aRow;
  const float* b = o.b;
  for (Index k = 0; k < o.depth; ++k, a += o.aCol, b += o.bRow) {
    typename Sums::Vector right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      right[v] = Sums::widened(v + 1 < kVectors ? _mm512_loadu_ps(b + v * kVector)
                                                : _mm512_maskz_loadu_ps(o.last, b + v * kVector));
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v].addProduct(a[r * o.aRow], right[v]);
    }
  }
  const __m512 factor = _mm512_set1_ps(o.product.factor);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    float* c = o.c + (row + r) * o.cRow;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const auto lanes = v + 1 < kVectors ? static_cast<__mmask16>(0xFFFF) : o.last;
      __m512 sum = _mm512_mul_ps(factor, sums[r][v].rounded());
      if (o.product.add) {
        sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(lanes, c + v * kVector));
      }
      _mm512_mask_storeu_ps(c + v * kVector, lanes, sum);
    }
  }
}

template <typename Sums, int kMostRows, int kVectors>
HEADSCOPE_SMALL void smallRowsOfAll(const SmallOperands& o, Index rows) {
  Index row = 0;
  for (; row + kMostRows <= rows; row += kMostRows) smallRows<Sums, kMostRows, kVectors>(o, row);
  for (; row + 3 <= rows; row += 3) smallRows<Sums, 3, kVectors>(o, row);
  for (; row < rows; ++row) smallRows<Sums, 1, kVectors>(o, row);
}

template <int kVectors>
void smallProduct(const SmallOperands& o, Index rows) {
  constexpr int kPreciseRows = kVectors == 1 ? 8 : 8 / kVectors;
  if (o.product.precise) return smallRowsOfAll<DoubleSums, kPreciseRows, kVectors>(o, rows);
  smallRowsOfAll<FloatSums, kVectors <= 2 ? 8 : 6, kVectors>(o, rows);
}

#undef HEADSCOPE_SMALL

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

bool isPreciseProduct(Index depth, Index width) {
  static const bool here =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return here && depth <= kDeepest && width <= kWidest;
}

__attribute__((target("avx2,fma"))) void preciseGemm(const ConstMatrixView& a,
                                                     const ConstMatrixView& b, const MatrixView& c,
                                                     const Product& product) {
  constexpr Index kRows = 4, kCols = 8;  // whose sums stay in registers
  const Index cols = (c.cols + kCols - 1) / kCols * kCols;
  alignas(32) double right[kDeepest * kWidest];  // rows of `cols` numbers
  for (Index j = 0; j < cols; ++j) {
    const float* from = b.data + (j < b.cols ? j : 0) * b.colStride;
    for (Index k = 0; k < b.rows; ++k) {
      right[k * cols + j] = static_cast<double>(from[k * b.rowStride]);
    }
  }
  for (Index i = 0; i < c.rows; i += kRows) {
    const float* rows[kRows];  // behind the last row: that row again
    for (Index r = 0; r < kRows; ++r) {
      rows[r] = a.data + (i + r < c.rows ? i + r : c.rows - 1) * a.rowStride;
    }
    for (Index j = 0; j < cols; j += kCols) {
      __m256d sums[kRows][2];
      for (auto& sum : sums) sum[0] = sum[1] = _mm256_setzero_pd();
      for (Index k = 0; k < a.cols; ++k) {
        const __m256d low = _mm256_load_pd(right + k * cols + j);
        const __m256d high = _mm256_load_pd(right + k * cols + j + 4);
#pragma GCC unroll 4
        for (Index r = 0; r < kRows; ++r) {
          const __m256d left = _mm256_set1_pd(static_cast<double>(rows[r][k * a.colStride]));
          sums[r][0] = _mm256_fmadd_pd(left, low, sums[r][0]);
          sums[r][1] = _mm256_fmadd_pd(left, high, sums[r][1]);
        }
      }
      for (Index r = 0; r < kRows && i + r < c.rows; ++r) {
        alignas(32) double sum[kCols];
        _mm256_store_pd(sum, sums[r][0]);
        _mm256_store_pd(sum + 4, sums[r][1]);
        float* to = c.data + (i + r) * c.rowStride + j;
        for (Index v = 0; v < kCols && j + v < c.cols; ++v) {
          const float each = product.factor * static_cast<float>(sum[v]);
          to[v] = product.add ? to[v] + each : each;
        }
      }
    }
  }
}

#else

bool isSmallProduct(Index, Index) { return false; }
void smallGemm(const ConstMatrixView&, const ConstMatrixView&, const MatrixView&, const Product&) {}
bool isPreciseProduct(Index, Index) { return false; }
void preciseGemm(const ConstMatrixView&, const ConstMatrixView&, const MatrixView&,
                 const Product&) {}

#endif

}  // namespace headscope
