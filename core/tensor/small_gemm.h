// Small gemm: products of small matrices, such as one head's of a short example, for which a
// library's call takes longer than the product. For processors with AVX-512; see gemm.h.
#pragma once

#include "core/tensor/gemm.h"

namespace headscope {

/// Whether smallGemm is for products of this depth and width here: whatever their rows, so that a
/// row has the same bits however many are computed with it.
bool isSmallProduct(Index depth, Index width);

/// As gemm.
void smallGemm(const ConstMatrixView& a, const ConstMatrixView& b, const MatrixView& c,
               const Product& product);

}  // namespace headscope
