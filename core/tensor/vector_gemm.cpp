#include "core/tensor/vector_gemm.h"

#include <algorithm>
#include <cstring>

namespace headscope {
namespace {

using Four [[gnu::vector_size(16)]] = float;

constexpr Index kRows = 6;  // with kCols columns of sums: twelve of sixteen registers
constexpr Index kCols = 8;
constexpr Index kDepth = 512;  // so that kCols columns of b lie in the first cache

/// Up to kDepth rows of kCols columns of b next to each other; past its last column 0.
struct Columns {
  alignas(16) float cells[kDepth * kCols];
  Index depth;

  void take(const ConstMatrixView& b, Index row, Index col) {
    depth = std::min(kDepth, b.rows - row);
    const Index cols = std::min(kCols, b.cols - col);
    if (cols < kCols) std::fill_n(cells, depth * kCols, 0.0F);
    const float* from = b.data + row * b.rowStride + col * b.colStride;
    if (b.colStride == 1) {
      for (Index k = 0; k < depth; ++k)
        std::copy_n(from + k * b.rowStride, cols, cells + k * kCols);
    } else {
      for (Index j = 0; j < cols; ++j) {
        for (Index k = 0; k < depth; ++k) {
          cells[k * kCols + j] = from[k * b.rowStride + j * b.colStride];
        }
      }
    }
  }
};

/// So many rows of c, whose sums stay in registers.
template <Index kSums>
void rowsTimes(const float* a, Index aRow, Index aCol, const Columns& b, const MatrixView& c,
               const Product& product) {
  Four sums[kSums][2] = {};
  const float* right = b.cells;
  for (Index k = 0; k < b.depth; ++k, a += aCol, right += kCols) {
    Four first, second;
    std::memcpy(&first, right, sizeof(first));
    std::memcpy(&second, right + 4, sizeof(second));
    for (Index r = 0; r < kSums; ++r) {
      const float left = a[r * aRow];
      sums[r][0] += left * first;
      sums[r][1] += left * second;
    }
  }
  for (Index r = 0; r < kSums; ++r) {
    float row[kCols];
    std::memcpy(row, sums[r], sizeof(row));
    float* to = c.row(r).data();
    for (Index j = 0; j < c.cols; ++j) {
      to[j] = (product.add ? to[j] : 0.0F) + product.factor * row[j];
    }
  }
}

void rowsTimes(Index rows, const float* a, Index aRow, Index aCol, const Columns& b,
               const MatrixView& c, const Product& product) {
  static_assert(kRows == 6);
  switch (rows) {
    case 1:
      return rowsTimes<1>(a, aRow, aCol, b, c, product);
    case 2:
      return rowsTimes<2>(a, aRow, aCol, b, c, product);
    case 3:
      return rowsTimes<3>(a, aRow, aCol, b, c, product);
    case 4:
      return rowsTimes<4>(a, aRow, aCol, b, c, product);
    case 5:
      return rowsTimes<5>(a, aRow, aCol, b, c, product);
    default:
      return rowsTimes<6>(a, aRow, aCol, b, c, product);
  }
}

}  // namespace

void vectorGemm(const ConstMatrixView& a, const ConstMatrixView& b, const MatrixView& c,
                const Product& product) {
  if (b.rows == 0 && !product.add) {
    for (Index r = 0; r < c.rows; ++r) std::ranges::fill(c.row(r), 0.0F);
  }
  Columns columns;
  for (Index k = 0; k < b.rows; k += kDepth) {
    const Product part{product.factor, product.add || k > 0};
    for (Index col = 0; col < c.cols; col += kCols) {
      columns.take(b, k, col);
      for (Index row = 0; row < c.rows; row += kRows) {
        const Index rows = std::min(kRows, c.rows - row);
        const MatrixView to{&c(row, col), rows, std::min(kCols, c.cols - col), c.rowStride};
        rowsTimes(rows, a.data + row * a.rowStride + k * a.colStride, a.rowStride, a.colStride,
                  columns, to, part);
      }
    }
  }
}

}  // namespace headscope
