// Small gemm: products of small matrices, such as one head's of a short example, for which a
// library's call takes longer than the product. For processors with AVX-512; see gemm.h.
#pragma once

#include "core/tensor/gemm.h"

namespace headscope {

/// Returns whether smallGemm suits products of this depth and width on this processor. The number
/// of rows does not matter, so that the bits of a row do not depend on it.
bool isSmallProduct(Index depth, Index width);

/// Computes what gemm computes (gemm.h).
void smallGemm(const ConstMatrixView& a, const ConstMatrixView& b, const MatrixView& c,
               const Product& product);

/// Returns whether preciseGemm suits products of this depth and width on this processor: one with
/// AVX2, on which float64 costs little.
bool isPreciseProduct(Index depth, Index width);

/// Computes what gemm computes, summed in float64, for processors without AVX-512.
void preciseGemm(const ConstMatrixView& a, const ConstMatrixView& b, const MatrixView& c,
                 const Product& product);

}  // namespace headscope
