// gemm: the product of two matrices; the one place that knows which library computes it.
#pragma once

#include "core/tensor/tensor.h"

namespace headscope {

/// Which products are summed in float64, so that each number is rounded once: small ones (at most
/// 64 deep and wide), where this costs little, or also medium ones (128), where it takes twice as
/// long.
enum class Float64Sums { never, small, medium };

/// The products of a forward pass. Scores without ÷√d_k (T5) are large, and their softmax enlarges
/// each rounding of what they are computed from.
constexpr Float64Sums float64SumsFor(bool scoresAreScaled) {
  return scoresAreScaled ? Float64Sums::small : Float64Sums::medium;
}

/// The use of a product: it is multiplied by a factor, then added to the target or written over it.
struct Product {
  float factor = 1.0F;
  bool add = false;
  Float64Sums float64 = Float64Sums::never;
};

/// c = a · b. Shapes (m, k) · (k, n) → (m, n); a and b may be transposed views, c is row-major.
/// oneDNN where the program was built with it (fast for few rows, too), Eigen otherwise; in a
/// browser vectorGemm. It runs on the calling thread.
void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c, Product product = {});

/// Generates the library's kernels, for which the first products would wait (about 20 ms), so that
/// this does not count in the time of a pass.
void prepareGemm();

}  // namespace headscope
