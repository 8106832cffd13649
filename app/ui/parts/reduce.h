// Reduce: a large matrix reduced to a smaller one, block by block, for drawing at the resolution of
// the screen. Rows are read and reduced on several threads. Pure: no drawing.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope::ui {

/// A matrix that is read row by row. `read` writes the cells of one row, masked ones as
/// gl::kMaskedCell; several threads call it at once.
struct CellRows {
  Index rows = 0, cols = 0;
  std::function<void(Index row, std::span<float> cells)> read;
};

/// The rows along the first axis of a dense tensor, which the result holds; a vector is one row.
CellRows rowsOf(const Tensor& tensor);

/// The value that stands for the cells of a block. Masked cells do not count; an entirely masked
/// block is gl::kMaskedCell (`share`: 0).
enum class Reduction {
  largest,  // the cell of the largest magnitude; NaN where a cell is NaN
  mean,
  share,  // the sum over a block's columns, averaged over its rows: for weights, the share of
          // attention
};

/// The limits of blocks along one axis: count() + 1 places.
class Blocks {
 public:
  /// Returns `count` blocks, at most one per cell, as even as whole cells allow.
  static Blocks even(Index cells, Index count);
  /// Returns blocks of `step` cells from `first` on; the last may be smaller.
  static Blocks stepped(Index first, Index cells, Index step);

  Index count() const { return static_cast<Index>(edges_.size()) - 1; }
  Index begin(Index block) const { return edges_[static_cast<std::size_t>(block)]; }
  Index end(Index block) const { return edges_[static_cast<std::size_t>(block) + 1]; }

 private:
  std::vector<Index> edges_;
};

/// Writes down.count() × across.count() numbers, row-major, to `out`. Returns false where
/// cancelled.
bool reduce(const CellRows& cells, const Blocks& down, const Blocks& across, Reduction how,
            float* out, const std::atomic<bool>* cancelled = nullptr);

/// Writes every cell unchanged where there are `rows` × `cols` cells; else reduces to even blocks.
void reduce(const CellRows& cells, int rows, int cols, Reduction how, float* out);

/// Returns the matrix reduced to `rows` × `cols` even blocks by Reduction::largest. Rows are
/// reduced when they are read.
CellRows reduced(CellRows cells, Index rows, Index cols);

/// Reduces a matrix to `rows` × `cols` cells on the screen; `turned`: rows and columns are swapped
/// there.
void reduceAsShown(const CellRows& cells, bool turned, int rows, int cols, Reduction how,
                   float* out);

/// Writes the transpose of a small rows × cols matrix to `out`.
void transpose(std::span<const float> from, int rows, int cols, float* out);

/// Returns the largest magnitude of the finite values that are not masked; 0 where there is none.
float largestFinite(const CellRows& cells);
float largestFinite(std::span<const float> cells);

}  // namespace headscope::ui
