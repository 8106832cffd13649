// Vector gemm: products by vectors of 128 bits, for WebAssembly, where Eigen has none; see gemm.h.
#pragma once

#include "core/tensor/gemm.h"

namespace headscope {

/// Computes what gemm computes. The bits of a row do not depend on the number of rows.
void vectorGemm(const ConstMatrixView& a, const ConstMatrixView& b, const MatrixView& c,
                const Product& product);

}  // namespace headscope
