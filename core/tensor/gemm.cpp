#include "core/tensor/gemm.h"

#include <Eigen/Core>
#include <cassert>
#include <utility>
#include <vector>

#include "core/base/block_store.h"
#include "core/tensor/small_gemm.h"
#include "core/tensor/vector_gemm.h"
#ifdef HEADSCOPE_DNNL
#include <dnnl.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

namespace headscope {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;
using Map = Eigen::Map<RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;

/// Row-major, or the transpose of a row-major matrix.
bool isTransposed(const ConstMatrixView& m) { return m.colStride != 1 && m.rowStride == 1; }

ConstMap map(const ConstMatrixView& m) {
  return {m.data, m.rows, m.cols, Eigen::OuterStride<>(m.rowStride)};
}

[[maybe_unused]] void eigenGemm(const ConstMatrixView& a, const ConstMatrixView& b,
                                const MatrixView& c, const Product& product) {
  Map out(c.data, c.rows, c.cols, Eigen::OuterStride<>(c.rowStride));
  if (!product.add) out.setZero();
  const float f = product.factor;
  const bool ta = isTransposed(a);
  const bool tb = isTransposed(b);
  if (!ta && !tb) {
    out.noalias() += f * map(a) * map(b);
  } else if (!ta) {
    out.noalias() += f * map(a) * map(b.transposed()).transpose();
  } else if (!tb) {
    out.noalias() += f * map(a.transposed()).transpose() * map(b);
  } else {
    out.noalias() += f * map(a.transposed()).transpose() * map(b.transposed()).transpose();
  }
}

/// The steps distribute their products over threads themselves (core/platform/threads.h).
void stayOnThisThread() {
#ifdef _OPENMP
  thread_local bool set = false;
  if (!std::exchange(set, true)) omp_set_num_threads(1);
#endif
}

}  // namespace

void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c, Product product) {
  assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
  if (c.rows == 0 || c.cols == 0) return;
  if (isSmallProduct(a.cols, c.cols)) return smallGemm(a, b, c, product);
  if (product.precise && isPreciseProduct(a.cols, c.cols)) return preciseGemm(a, b, c, product);
  stayOnThisThread();
#ifdef HEADSCOPE_DNNL
  const bool ta = isTransposed(a);
  const bool tb = isTransposed(b);
  const auto status =
      dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', c.rows, c.cols, a.cols, product.factor, a.data,
                 ta ? a.colStride : a.rowStride, b.data, tb ? b.colStride : b.rowStride,
                 product.add ? 1.0F : 0.0F, c.data, c.rowStride);
  if (status == dnnl_success) return;
#endif
#ifdef __wasm_simd128__
  vectorGemm(a, b, c, product);
#else
  eigenGemm(a, b, c, product);
#endif
}

void prepareGemm() {
#ifdef HEADSCOPE_DNNL
  // oneDNN crashes without memory for its kernels, so this is refused here
  constexpr Index kRoomForKernels = Index{48} << 20;
  { const Block room(kRoomForKernels / static_cast<Index>(sizeof(float)), nullptr); }
  // one product of each kind the steps compute: x Wᵀ, Q Kᵀ and A V; none of them is a small one
  constexpr Index kTokens = 6;
  constexpr Index kWidth = 128;
  const std::vector<float> values(static_cast<std::size_t>(kWidth * kWidth), 0.0F);
  std::vector<float> result(static_cast<std::size_t>(kWidth * kWidth));
  const ConstMatrixView tall{values.data(), kTokens, kWidth, kWidth, 1};
  const ConstMatrixView square{values.data(), kWidth, kWidth, kWidth, 1};
  const ConstMatrixView pattern{values.data(), kTokens, kTokens, kTokens, 1};
  gemm(tall, square.transposed(), {result.data(), kTokens, kWidth, kWidth});
  gemm(tall, tall.transposed(), {result.data(), kTokens, kTokens, kTokens});
  gemm(pattern, tall, {result.data(), kTokens, kWidth, kWidth});
#endif
}

}  // namespace headscope
