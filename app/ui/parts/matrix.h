// Matrix: a matrix of numbers on the screen. Its cells are a heatmap, with numbers where they have
// room. It has labels along its sides and marks over it, and finds the cell under the mouse. Every
// matrix of the program is drawn with these parts; callers give values and words.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/frame_context.h"
#include "app/ui/parts/fingerprint.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/reduce.h"
#include "core/attention/tensor_id.h"
#include "core/document/fwd.h"

namespace headscope {
struct AttentionConfig;
struct WeightRange;
}  // namespace headscope

namespace headscope::ui {

// The place of a matrix.

struct MatrixCell {
  Index row = 0, col = 0;
  bool operator==(const MatrixCell&) const = default;
};

/// A matrix's rectangle on the screen, in cells of equal size.
struct MatrixPlace {
  Rect at;
  Index rows = 1, cols = 1;

  ImVec2 cell() const {
    return {at.width() / static_cast<float>(cols), at.height() / static_cast<float>(rows)};
  }
  Rect cellAt(Index row, Index col) const;
  /// The rectangle of a block of cells (fractions cut through a cell), grown to at least `least`
  /// points, so that one of 768 columns is visible.
  Rect block(double row, double rows, double col, double cols, float least = 0.0F) const;
  /// The cell at a point of the screen, or the nearest cell to a point outside.
  MatrixCell nearest(ImVec2 point) const;
  /// The cell under the mouse; none where the mouse is outside or another window covers it.
  std::optional<MatrixCell> hovered() const;
};

// The contents of a matrix.

/// A matrix of a trace, the part of it that is shown, and its orientation.
struct MatrixRef {
  TensorId tensor = TensorId::x;
  Index item = -1;  // −1: the tensor has no such axis
  Index head = -1;
  Index row0 = 0, rows = 0;  // the part shown, in the tensor's own rows and columns
  Index col0 = 0, cols = 0;
  bool transposed = false;  // shown with rows and columns swapped
  bool maskOnly = false;    // the mask itself: hatched where forbidden, blank elsewhere
  bool gradient = false;    // the tensor's gradient, which the trace must have
  std::uint64_t salt = 0;   // nonzero for another pass than the shown one: separates its textures

  Index shownRows() const { return transposed ? cols : rows; }
  Index shownCols() const { return transposed ? rows : cols; }
  MatrixPlace placedAt(const Rect& at) const { return {at, shownRows(), shownCols()}; }
  /// A fingerprint that differs for every other matrix and for other parts of this one.
  Fingerprint place() const;
  /// The tensor's cell at a row and column as shown.
  CellRef cell(Index row, Index col) const;
  CellRef cell(const MatrixCell& at) const { return cell(at.row, at.col); }
  /// The place at which a cell of the tensor is shown; none where it is outside this part.
  std::optional<MatrixCell> find(const CellRef& cell) const;
  bool find(const CellRef& cell, Index* row, Index* col) const {
    const auto found = find(cell);
    if (found) *row = found->row, *col = found->col;
    return found.has_value();
  }
};

/// Returns the whole matrix of a tensor for an item and a query head; for k and v, that of the
/// key/value head that it reads.
MatrixRef wholeMatrix(TensorId tensor, const AttentionConfig& config, Index item, Index head);

/// Returns whether the tensor shows masking: masked scores and weights do.
bool showsMasked(TensorId tensor, const AttentionConfig& config);
/// Returns whether the mask forbids a cell of such a tensor and the cell is not pinned.
bool isHidden(const Trace& trace, const CellRef& cell);
/// Sets the cells [col0, …) that the mask hides, of a row of weights or masked scores, to
/// gl::kMaskedCell.
void hideMasked(const Trace& trace, Index item, Index row, Index col0, std::span<float> cells);

/// Returns the cells of the part in the tensor's own rows and columns; hidden ones are masked
/// cells.
CellRows cellsOf(const Trace& trace, const MatrixRef& ref);
/// Returns the cells for a picture. Large scores that the pass does not hold are reduced; none
/// while those are being computed.
std::optional<CellRows> cellsToShow(const Trace& trace, const MatrixRef& ref);
/// Returns a number that differs whenever the shown values may differ.
std::uint64_t revisionOf(const Trace& trace, const MatrixRef& ref);

// The colours of values.

struct ColorScale {
  float low = -1.0F, high = 1.0F;
  int map = 0;
  bool diverging = true;
  bool allZero = false;  // nothing to scale: all values are 0

  ImU32 color(const ColorMaps& maps, float value) const;
  /// Returns the range in words: "±3.21", "0 to 1" or "all 0".
  std::string inWords() const;
};
/// A diverging scale from −`magnitude` to `magnitude`.
ColorScale divergingScale(const FrameContext& look, float magnitude);
/// A sequential scale from `low` to `high`.
ColorScale sequentialScale(const FrameContext& look, float low, float high);
/// The scale of weights: from 0 to 1 or to their largest; diverging where a weight may be negative.
ColorScale weightScale(const FrameContext& look, const WeightRange& range);
/// Returns the range of a trace's weights; head −1: of all heads.
WeightRange weightRange(const Trace& trace, Index item, Index head);
/// Returns the scale of a matrix, or of all heads' (head −1): weightScale for weights; 0 to 1 for
/// gates; for all else, gradients included, a diverging scale to `magnitude`.
ColorScale colorScale(const FrameContext& look, const Trace& trace, const MatrixRef& ref,
                      float magnitude);

/// The largest magnitudes of matrices, cached until their values change.
class Magnitudes {
 public:
  /// The largest finite magnitude of a tensor's matrix; head −1: of all heads.
  float of(const Trace& trace, TensorId tensor, Index item, Index head, bool gradient = false);
  float of(const Trace& trace, const MatrixRef& ref) {
    return of(trace, ref.tensor, ref.item, ref.head, ref.gradient);
  }
  /// The largest finite magnitude of the shown part only, such as one head's columns of a weight.
  float ofPart(const Trace& trace, const MatrixRef& ref);

 private:
  struct Known {
    std::uint64_t revision = 0;
    float value = 0.0F;
  };
  std::map<std::tuple<TensorId, Index, Index, bool>, Known> known_;
  std::map<std::uint64_t, Known> parts_;  // by MatrixRef::place
};

// Drawing.

/// The heatmaps of several matrices, drawn in one go.
class Heatmaps {
 public:
  explicit Heatmaps(const FrameContext& look) : look_(look) {}

  /// Adds a matrix of a trace, in no more cells than pixels.
  void add(const Trace& trace, const MatrixRef& ref, const ColorScale& scale, const Rect& at,
           float opacity = 1.0F);
  /// Adds any cells. `place` names the spot on the screen, `values` all that they depend on.
  /// `cells` are read while drawing, and only where the graphics card does not have them. Where
  /// several fall on one pixel, they are reduced.
  gl::HeatmapQuad& add(const Fingerprint& place, const Fingerprint& values, CellRows cells,
                       const ColorScale& scale, const Rect& at, bool transposed = false,
                       Reduction how = Reduction::largest);
  /// Adds reduced cells, rows × cols. Their values are copied from `cells`, which `hold` keeps
  /// alive.
  gl::HeatmapQuad& add(const Fingerprint& place, const Fingerprint& values,
                       std::shared_ptr<const void> hold, std::span<const float> cells, int rows,
                       int cols, const ColorScale& scale, const Rect& at);
  /// Adds a hatched rectangle: no values.
  void addHatched(const Rect& at);
  /// Lights the row at this share of the last heatmap's height and dims all others a little.
  void lightRow(double share);

  void draw(ImDrawList* list);

 private:
  gl::HeatmapQuad& push(gl::HeatmapSource source, const ColorScale& scale, const Rect& at);

  const FrameContext& look_;
  gl::HeatmapBatch batch_;
};

/// The numbers in the cells of a matrix; a cell that is gl::kMaskedCell has none.
struct CellNumbers {
  std::function<float(Index row, Index col)> value;
  std::function<bool(Index row, Index col)> hidden = {};  // masked cells are muted; null: none
  bool whole = false;                                     // whether all are whole numbers
  int decimals = -1;                                      // −1: as the scale needs
};
CellNumbers numbersOf(const Trace& trace, const MatrixRef& ref);
/// Returns the least width in points at which the cells of a matrix with so many rows and columns
/// have numbers. Reads all numbers.
float numberWidth(const FrameContext& look, const ColorScale& scale, Index rows, Index cols,
                  const CellNumbers& numbers);
/// The least height of a cell with numbers.
float numberHeight(const FrameContext& look);
/// Draws a number in every cell if all of them fit; else draws none and returns false.
bool drawNumbers(const FrameContext& look, ImDrawList* list, const MatrixPlace& place,
                 const ColorScale& scale, const CellNumbers& numbers, ImFont* font = nullptr);

/// Draws a frame around a block of cells that is visible on every colour.
void drawFrame(const FrameContext& look, ImDrawList* list, const Rect& block, ImU32 color,
               float points = 2.0F);

}  // namespace headscope::ui
