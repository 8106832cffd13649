// Matrix view: a matrix of the trace, or a part of one, as a heatmap at the resolution shown.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "app/ui/panel.h"
#include "app/ui/reduce.h"
#include "core/trace.h"

namespace headscope::ui {

/// Which matrix, which part of it, and which way round.
struct MatrixRef {
  TensorId tensor = TensorId::x;
  Index item = -1;  // −1 where the tensor has no such axis
  Index head = -1;
  Index row0 = 0, rows = 0;  // the part shown, in the tensor's own rows and columns
  Index col0 = 0, cols = 0;
  bool transposed = false;  // shown with rows and columns swapped
  bool maskOnly = false;    // the mask itself: hatched where forbidden, blank elsewhere
  std::uint64_t salt = 0;   // of another pass than the one shown: tells its texture apart

  Index shownRows() const { return transposed ? cols : rows; }
  Index shownCols() const { return transposed ? rows : cols; }
  /// The cell of the tensor at a row and column as shown.
  CellRef cell(Index row, Index col) const;
  /// Where a cell of the tensor is shown; false where it is not in this part.
  bool find(const CellRef& cell, Index* row, Index* col) const;
};

/// The whole matrix of a tensor for an item and a (query) head; the key/value head is found for k
/// and v.
MatrixRef wholeMatrix(TensorId tensor, const AttentionConfig& config, Index item, Index head);

/// True for the tensors that show masking: masked scores and weights.
bool showsMasked(TensorId tensor, const AttentionConfig& config);
/// True for a cell the mask forbids in such a tensor, unless it is pinned.
bool isHidden(const Trace& trace, const CellRef& cell);

/// The part in the tensor's own rows and columns, with what the mask hides as masked cells.
RowSource rowsOf(const Trace& trace, const MatrixRef& ref);

/// `rows` × `cols` values of a heatmap by largestReduce, `transposed` where rows and columns swap.
void fillHeatmap(const RowSource& source, bool transposed, int rows, int cols, float* out);

/// Names the place a source shows, for HeatmapSource::key.
std::uint64_t keyOf(const MatrixRef& ref);

/// Differs wherever the values a matrix shows may differ: what pictures and measures of it are
/// remembered by.
std::uint64_t revisionOf(const Trace& trace, const MatrixRef& ref);

/// How many rows and columns of a matrix a source has in a rectangle of `pixels`.
struct SourceSize {
  int rows = 0, cols = 0;
};
SourceSize sourceSize(const MatrixRef& ref, ImVec2 pixels);

/// A source for the renderer, no finer than `pixels`.
gl::HeatmapSource heatmapSource(const Trace& trace, const MatrixRef& ref, ImVec2 pixels);

/// Largest magnitudes of matrices, remembered until their values change.
class Magnitudes {
 public:
  /// Over the finite values of a tensor's matrix; head −1: over all heads.
  float of(const Trace& trace, TensorId tensor, Index item, Index head);

 private:
  struct Known {
    std::uint64_t revision = 0;
    float value = 0.0F;
  };
  std::map<std::tuple<TensorId, Index, Index>, Known> known_;
};

/// How values become colours: weights 0 … 1 sequential, all else diverging about 0.
struct ColorScale {
  float low = -1.0F, high = 1.0F;
  int map = 0;
  bool diverging = true;
  bool allZero = false;  // nothing to scale: all values are 0

  ImU32 color(const ColorMaps& maps, float value) const;
};
ColorScale colorScale(const Look& look, const ViewState& view, TensorId tensor, float magnitude);

/// Adds a source at a rectangle of the screen to a batch, in a scale.
void addSource(gl::HeatmapBatch& batch, const Look& look, gl::HeatmapSource source,
               const ColorScale& scale, ImVec2 a, ImVec2 b);

/// Adds a matrix at a rectangle of the screen to a batch, in its scale.
void addMatrix(gl::HeatmapBatch& batch, const Look& look, const Trace& trace, const MatrixRef& ref,
               const ColorScale& scale, ImVec2 a, ImVec2 b);

/// Decimals that suit cells of values up to `magnitude`.
int cellDecimals(float magnitude);

}  // namespace headscope::ui
