// gemm: the product of two matrices; the one place that knows which library computes it.
#pragma once

#include "core/tensor/tensor.h"

namespace headscope {

/// The use of a product: it is multiplied by a factor, then added to the target or written over it.
/// A precise one is summed in float64 where it is small (isSmallProduct), so that each number of it
/// is rounded once: what follows can enlarge its error, as the softmax of scores without ÷√d_k
/// does.
struct Product {
  float factor = 1.0F;
  bool add = false;
  bool precise = false;
};

/// c = a · b. Shapes (m, k) · (k, n) → (m, n); a and b may be transposed views, c is row-major.
/// oneDNN where the program was built with it (fast for few rows, too), Eigen otherwise; in a
/// browser vectorGemm. It runs on the calling thread.
void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c, Product product = {});

/// Generates the library's kernels, for which the first products would wait (about 20 ms), so that
/// this does not count in the time of a pass.
void prepareGemm();

}  // namespace headscope
