// thinQr: the QR decomposition of a matrix with at least as many rows as columns.
#pragma once

#include "core/tensor/tensor.h"

namespace headscope {

/// matrix = q · r for a matrix (m, n): q (m, n) has orthonormal columns, r (n, n) is upper
/// triangular.
struct ThinQr {
  Tensor q, r;
};

/// By Householder reflections (Golub and Van Loan, Matrix Computations, 5.2). Its own file, since
/// Eigen's templates for it take five seconds to compile wherever they are used.
ThinQr thinQr(ConstMatrixView matrix);

}  // namespace headscope
