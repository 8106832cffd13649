// Reduce: a matrix of many cells as one of few, block by block, so that it can be drawn at the
// resolution of the screen. Rows are read and reduced on several threads. Pure: no drawing.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope::ui {

/// A matrix by its rows. `read` gives the cells of one row, masked ones as gl::kMaskedCell; it is
/// called from several threads at once.
struct CellRows {
  Index rows = 0, cols = 0;
  std::function<void(Index row, std::span<float> cells)> read;
};

/// What stands for the cells of a block. Masked cells never count; a block that is masked
/// throughout is gl::kMaskedCell (by share: 0).
enum class Reduction {
  largest,  // the cell of the largest magnitude; NaN where one is
  mean,
  share,  // the sum over a block's columns, the mean over its rows: of weights, what they take
};

/// Where blocks begin along one axis, and where the last ends: count() + 1 places.
class Blocks {
 public:
  /// As evenly as whole cells allow: `count` blocks, no more than cells.
  static Blocks even(Index cells, Index count);
  /// `step` cells each from `first` on; the last may be smaller.
  static Blocks stepped(Index first, Index cells, Index step);

  Index count() const { return static_cast<Index>(edges_.size()) - 1; }
  Index begin(Index block) const { return edges_[static_cast<std::size_t>(block)]; }
  Index end(Index block) const { return edges_[static_cast<std::size_t>(block) + 1]; }

 private:
  std::vector<Index> edges_;
};

/// down.count() × across.count() numbers, row-major, into `out`. False where cancelled.
bool reduce(const CellRows& cells, const Blocks& down, const Blocks& across, Reduction how,
            float* out, const std::atomic<bool>* cancelled = nullptr);

/// Every cell as it is where `rows` × `cols` is all there are, else by `reduce` with even blocks.
void reduce(const CellRows& cells, int rows, int cols, Reduction how, float* out);

/// The matrix made small so, `rows` × `cols` by even blocks of their largest; read when it is asked
/// for.
CellRows reduced(CellRows cells, Index rows, Index cols);

/// The same of a matrix as it is shown, `turned` with rows and columns swapped: `rows` × `cols` are
/// those on the screen.
void reduceAsShown(const CellRows& cells, bool turned, int rows, int cols, Reduction how,
                   float* out);

/// The same matrix with rows and columns swapped: of what is already small.
void transpose(std::span<const float> from, int rows, int cols, float* out);

/// The largest magnitude of the finite values that are not masked; 0 where there is none.
float largestFinite(const CellRows& cells);
float largestFinite(std::span<const float> cells);

}  // namespace headscope::ui
