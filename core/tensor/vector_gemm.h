// Vector gemm: products by vectors of 128 bits, for WebAssembly, where Eigen has none; see gemm.h.
#pragma once

#include "core/tensor/gemm.h"

namespace headscope {

/// As gemm. A row has the same bits however many are computed with it.
void vectorGemm(const ConstMatrixView& a, const ConstMatrixView& b, const MatrixView& c,
                const Product& product);

}  // namespace headscope
