// Pooled cells: a part of a matrix in blocks of cells, each one number that every cell of the block
// that is not masked counts in. Pure: no drawing.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/tensor.h"

namespace headscope::ui {

enum class Pool {
  mean,
  largest,  // the one of the largest magnitude
  share,    // the sum over a block's keys, the mean over its queries
};

/// Cells [row0, row0 + rows) × [col0, col0 + cols), `rowStep` × `colStep` to a block; the last ones
/// may be smaller.
struct CellBlocks {
  Index row0 = 0, rows = 0, col0 = 0, cols = 0;
  Index rowStep = 1, colStep = 1;

  Index down() const { return (rows + rowStep - 1) / rowStep; }
  Index across() const { return (cols + colStep - 1) / colStep; }
  bool holds(Index firstRow, Index rowCount, Index firstCol, Index colCount) const {
    return firstRow >= row0 && firstRow + rowCount <= row0 + rows && firstCol >= col0 &&
           firstCol + colCount <= col0 + cols;
  }
  bool operator==(const CellBlocks&) const = default;
};

/// Gives the cells of a row from column `col0` on; masked ones as gl::kMaskedCell.
using ReadRow = std::function<void(Index row, Index col0, std::span<float> cells)>;

/// down() × across() numbers, row-major; gl::kMaskedCell for a block that is masked throughout
/// (a share of it is 0). Nothing where cancelled.
std::optional<std::vector<float>> pooled(const CellBlocks& blocks, Pool pool, const ReadRow& read,
                                         const std::atomic<bool>* cancelled = nullptr);

/// The largest magnitude among them; 0 where all are masked.
float largestOf(std::span<const float> cells);

}  // namespace headscope::ui
