// gemm: the product of two matrices; the one place that knows which library computes it.
#pragma once

#include "core/tensor/tensor.h"

namespace headscope {

/// What becomes of a product: multiplied, and added to what is there or put in its place.
struct Product {
  float factor = 1.0F;
  bool add = false;
};

/// c = a · b. Shapes (m, k) · (k, n) → (m, n); a and b may be transposed views, c is row-major.
/// oneDNN where the program was built with it (fast for few rows, too), Eigen otherwise; in a
/// browser vectorGemm. It runs on the calling thread.
void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c, Product product = {});

/// Has the library generate the kernels that the first products would wait for (some 20 ms), so
/// that a pass's own time is told from that.
void prepareGemm();

}  // namespace headscope
