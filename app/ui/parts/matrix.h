// Matrix: a matrix of numbers on the screen. Its cells are a heatmap, with numbers in them where
// they have room; labels stand along its sides, marks over it, and the cell under the mouse can be
// asked for. Every matrix of the program is drawn with these parts; a client gives values and
// words.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/fingerprint.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/reduce.h"
#include "core/analysis/rows.h"
#include "core/document/trace.h"

namespace headscope::ui {

// Where a matrix stands.

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
  /// A block of cells (fractions cut through one), grown to `least` points so that one of 768
  /// columns is seen.
  Rect block(double row, double rows, double col, double cols, float least = 0.0F) const;
  /// The cell at a point of the screen; the nearest to one outside.
  MatrixCell nearest(ImVec2 point) const;
  /// That under the mouse, where it is on the matrix and nothing lies over it.
  std::optional<MatrixCell> hovered() const;
};

// What is in it.

/// Which matrix of a trace, which part of it, and which way round.
struct MatrixRef {
  TensorId tensor = TensorId::x;
  Index item = -1;  // −1 where the tensor has no such axis
  Index head = -1;
  Index row0 = 0, rows = 0;  // the part shown, in the tensor's own rows and columns
  Index col0 = 0, cols = 0;
  bool transposed = false;  // shown with rows and columns swapped
  bool maskOnly = false;    // the mask itself: hatched where forbidden, blank elsewhere
  bool gradient = false;    // that of the tensor, of a trace that has it
  std::uint64_t salt = 0;   // of another pass than the one shown: tells its texture apart

  Index shownRows() const { return transposed ? cols : rows; }
  Index shownCols() const { return transposed ? rows : cols; }
  MatrixPlace placedAt(const Rect& at) const { return {at, shownRows(), shownCols()}; }
  /// Tells it from every other matrix, and from other parts of the same.
  Fingerprint place() const;
  /// The cell of the tensor at a row and column as shown.
  CellRef cell(Index row, Index col) const;
  CellRef cell(const MatrixCell& at) const { return cell(at.row, at.col); }
  /// Where a cell of the tensor is shown; nothing where it is not in this part.
  std::optional<MatrixCell> find(const CellRef& cell) const;
  bool find(const CellRef& cell, Index* row, Index* col) const {
    const auto found = find(cell);
    if (found) *row = found->row, *col = found->col;
    return found.has_value();
  }
};

/// The whole matrix of a tensor for an item and a (query) head; the key/value head is found for k
/// and v.
MatrixRef wholeMatrix(TensorId tensor, const AttentionConfig& config, Index item, Index head);

/// True for the tensors that show masking: masked scores and weights.
bool showsMasked(TensorId tensor, const AttentionConfig& config);
/// True for a cell the mask forbids in such a tensor, unless it is pinned.
bool isHidden(const Trace& trace, const CellRef& cell);
/// Marks the cells [col0, …) of a row of weights or masked scores that the mask hides.
void hideMasked(const Trace& trace, Index item, Index row, Index col0, std::span<float> cells);

/// The part in the tensor's own rows and columns, with what the mask hides as masked cells.
CellRows cellsOf(const Trace& trace, const MatrixRef& ref);
/// The same for a picture: of scores that the pass does not hold, small; none while those are still
/// computed.
std::optional<CellRows> cellsToShow(const Trace& trace, const MatrixRef& ref);
/// Differs wherever the values a matrix shows may differ.
std::uint64_t revisionOf(const Trace& trace, const MatrixRef& ref);

// How values become colours.

struct ColorScale {
  float low = -1.0F, high = 1.0F;
  int map = 0;
  bool diverging = true;
  bool allZero = false;  // nothing to scale: all values are 0

  ImU32 color(const ColorMaps& maps, float value) const;
  /// "±3.21", "0 to 1", "all 0"
  std::string inWords() const;
};
/// About 0, to `magnitude` both ways.
ColorScale divergingScale(const FrameContext& look, const ViewState& view, float magnitude);
/// From `low` to `high`.
ColorScale sequentialScale(const FrameContext& look, const ViewState& view, float low, float high);
/// Weights from 0 to 1 or as far as they go; about 0 where one may be below it.
ColorScale weightScale(const FrameContext& look, const ViewState& view, const WeightRange& range);
/// Of a trace's weights (head −1: of all heads).
WeightRange weightRange(const Trace& trace, Index item, Index head);
/// A matrix of a trace: weights as weightScale has them, all else about 0 to `magnitude`, as are
/// all gradients.
ColorScale colorScale(const FrameContext& look, const ViewState& view, const Trace& trace,
                      const MatrixRef& ref, float magnitude);

/// Largest magnitudes of matrices, remembered until their values change.
class Magnitudes {
 public:
  /// Over the finite values of a tensor's matrix; head −1: over all heads.
  float of(const Trace& trace, TensorId tensor, Index item, Index head, bool gradient = false);
  float of(const Trace& trace, const MatrixRef& ref) {
    return of(trace, ref.tensor, ref.item, ref.head, ref.gradient);
  }
  /// Over the part that is shown alone: one head's columns of a weight.
  float ofPart(const Trace& trace, const MatrixRef& ref);

 private:
  struct Known {
    std::uint64_t revision = 0;
    float value = 0.0F;
  };
  std::map<std::tuple<TensorId, Index, Index, bool>, Known> known_;
  std::map<std::uint64_t, Known> parts_;  // by their places
};

// Drawing.

/// Heatmaps of several matrices, drawn in one go.
class Heatmaps {
 public:
  explicit Heatmaps(const FrameContext& look) : look_(look) {}

  /// A matrix of a trace, no finer than the pixels it has.
  void add(const Trace& trace, const MatrixRef& ref, const ColorScale& scale, const Rect& at,
           float opacity = 1.0F);
  /// Any cells; `place` names the spot on the screen, `values` all that they depend on. `cells` are
  /// read while drawing, and only where they are not on the graphics card yet; where several fall
  /// on one pixel, they are reduced.
  gl::HeatmapQuad& add(const Fingerprint& place, const Fingerprint& values, CellRows cells,
                       const ColorScale& scale, const Rect& at, bool transposed = false,
                       Reduction how = Reduction::largest);
  /// What was reduced already, rows × cols; `values` are copied from `hold`, which keeps them.
  gl::HeatmapQuad& add(const Fingerprint& place, const Fingerprint& values,
                       std::shared_ptr<const void> hold, std::span<const float> cells, int rows,
                       int cols, const ColorScale& scale, const Rect& at);
  /// Hatched: nothing is there.
  void addHatched(const Rect& at);
  /// The row of the last one lit that stands at this share of its height: all others are dimmed a
  /// little.
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
  std::function<bool(Index row, Index col)> hidden = {};  // by the mask: muted; null: none is
  bool whole = false;                                     // all are whole numbers
  int decimals = -1;                                      // −1: as suits the scale
  bool mayTurn = false;  // by 90°, in cells that are high enough but too narrow
};
CellNumbers numbersOf(const Trace& trace, const MatrixRef& ref);
/// Points that a cell of a matrix with so many rows and columns has at least for `drawNumbers` to
/// write its numbers upright. Reads them all.
float numberWidth(const FrameContext& look, const ColorScale& scale, Index rows, Index cols,
                  const CellNumbers& numbers);
/// … how high it is at least, and how wide where they are turned.
float numberHeight(const FrameContext& look);
float turnedNumberWidth(const FrameContext& look);
/// In every cell, where all have room for theirs; false where they have not.
bool drawNumbers(const FrameContext& look, ImDrawList* list, const MatrixPlace& place,
                 const ColorScale& scale, const CellNumbers& numbers, ImFont* font = nullptr);

/// A frame around a block of cells that is seen on every colour.
void drawFrame(const FrameContext& look, ImDrawList* list, const Rect& block, ImU32 color,
               float points = 2.0F);

}  // namespace headscope::ui
