#include "core/steps/linear.h"

#include <Eigen/Core>
#include <algorithm>
#include <optional>

#include "core/finite.h"
#include "core/gemm.h"
#include "core/steps/over_pieces.h"
#include "core/steps/terms.h"

namespace headscope {

namespace {

/// Rows of one product, a panel wide: a piece of work between two looks at whether the pass was
/// cancelled, small enough that a few threads get equal shares and large enough for the product to
/// run at its best (bench/README.md).
constexpr Index kPieceRows = 256;

/// A box is patched where the columns that changed are at most one of so many.
constexpr Index kWorthPatching = 4;

/// Rows of a dense (B, T, width) tensor, counted through the items.
ConstMatrixView rowsOf(const Tensor& t, const Box& box) {
  const Index width = t.dim(2);
  return {t.data() + (box.item * t.dim(1) + box.row) * width, box.rows, width, width, 1};
}

/// The box of y, and whether it is finite; `weight` is the columns of Wᵀ it needs.
bool multiplyAdd(const Tensor& x, const ConstMatrixView& weight, const Tensor& bias, const Box& box,
                 Tensor& y) {
  const ConstMatrixView to = rowsOf(y, box);
  const MatrixView out{y.mutableData() + (to.data - y.data()) + box.col, box.rows, box.cols,
                       to.rowStride};
  gemm(rowsOf(x, box), weight, out);
  if (bias.empty()) return allFinite(out);
  const float* b = bias.data() + box.col;
  for (Index r = 0; r < out.rows; ++r) {
    float* row = out.row(r).data();
    for (Index c = 0; c < out.cols; ++c) row[c] += b[c];
  }
  return allFinite(out);
}

/// Rows of W as columns of Wᵀ.
ConstMatrixView columnsOf(const Tensor& weight, const Box& box) {
  return weight.matrixOf(Box{0, 0, box.col, box.cols, 0, weight.dim(1)}).transposed();
}

/// A box that cutLinear made lies in one panel.
bool inPanel(const Box& box) { return box.col / kPanel == (box.col + box.cols - 1) / kPanel; }

ConstMatrixView panelOf(const Tensor& packed, const Box& box) {
  const ConstMatrixView panel = packed.matrix({box.col / kPanel});
  return {panel.data + box.col % kPanel, panel.rows, box.cols, panel.rowStride, 1};
}

}  // namespace

namespace {

/// A square as wide as the processor's registers, which Eigen transposes in them.
constexpr Index kTurned = Eigen::internal::packet_traits<float>::size;
using Square = Eigen::Matrix<float, kTurned, kTurned, Eigen::RowMajor>;

void turn(const float* from, Index fromStride, float* to, Index toStride) {
  using Stride = Eigen::OuterStride<>;
  Square square = Eigen::Map<const Square, Eigen::Unaligned, Stride>(from, Stride(fromStride));
  square.transposeInPlace();
  Eigen::Map<Square, Eigen::Unaligned, Stride>(to, Stride(toStride)) = square;
}

Shape packedShape(const Shape& weight) {
  return {(weight[0] + kPanel - 1) / kPanel, weight[1], std::min(kPanel, weight[0])};
}

}  // namespace

Tensor packedMemory(const Tensor& weight) {
  return Tensor::uninitialised(packedShape(weight.shape()));
}

Index packedCount(const Shape& weight) { return elementCount(packedShape(weight)); }

void packPanel(const Tensor& weight, Index panel, Tensor& packed) {
  constexpr Index kBand = 16;  // columns of W: a cache line
  const ConstMatrixView from = weight.matrix();
  const MatrixView to = packed.mutableMatrix({panel});
  const Index first = panel * kPanel;
  const Index rows = std::min(kPanel, from.rows - first);
  const Index turnedRows = rows / kTurned * kTurned;
  const Index turnedCols = to.rows / kTurned * kTurned;
  for (Index begin = 0; begin < to.rows; begin += kBand) {
    const Index end = std::min(begin + kBand, to.rows);
    for (Index r = 0; r < turnedRows; r += kTurned) {
      for (Index k = begin; k < std::min(end, turnedCols); k += kTurned) {
        turn(from.data + (first + r) * from.rowStride + k, from.rowStride, &to(k, r), to.rowStride);
      }
    }
    for (Index k = begin; k < end; ++k) {
      for (Index r = k < turnedCols ? turnedRows : 0; r < rows; ++r) to(k, r) = from(first + r, k);
      std::fill(&to(k, 0) + rows, &to(k, 0) + to.cols, 0.0F);
    }
  }
}

bool computeLinear(Trace& trace, const LinearLayer& layer, const Box& box) {
  const Tensor& weight = trace.tensor(layer.weight);
  const Tensor& packed = trace.packed(layer.weight);
  static const Tensor kNoBias;
  return multiplyAdd(
      trace.tensor(layer.x),
      packed.empty() || !inPanel(box) ? columnsOf(weight, box) : panelOf(packed, box),
      trace.config().bias ? trace.tensor(layer.bias) : kNoBias, box, trace.mutableTensor(layer.y));
}

std::optional<float> patchLinear(Trace& trace, const Trace& before, const LinearLayer& layer,
                                 const Box& box) {
  const Change& change = trace.change(layer.x);
  if (!change.inPart() || !trace.change(layer.weight).isNone() ||
      !trace.change(layer.bias).isNone()) {
    return std::nullopt;
  }
  const Tensor& x = trace.tensor(layer.x);
  const Index tokens = x.dim(1);
  if (box.item * tokens + box.row + box.rows > (box.item + 1) * tokens) return std::nullopt;
  Index begin = x.dim(2);
  Index end = 0;
  for (const Box& part : change.boxes()) {
    if (part.item != box.item || part.within(box.row, box.row + box.rows).rows == 0) continue;
    begin = std::min(begin, part.col);
    end = std::max(end, part.col + part.cols);
  }
  const Index width = end - begin;
  if (width <= 0 || width * kWorthPatching > x.dim(2)) return std::nullopt;

  const Box columns{box.item, 0, box.row, box.rows, begin, width};
  const ConstMatrixView now = x.matrixOf(columns);
  const ConstMatrixView then = before.tensor(layer.x).matrixOf(columns);
  Tensor difference = Tensor::uninitialised({box.rows, width});
  const MatrixView delta = difference.mutableMatrix();
  for (Index r = 0; r < delta.rows; ++r) {
    for (Index c = 0; c < width; ++c) delta(r, c) = now(r, c) - then(r, c);
  }
  const MatrixView y = trace.cells(layer.y, box);
  const Box weights{0, 0, box.col, box.cols, begin, width};
  const ConstMatrixView weight = trace.tensor(layer.weight).matrixOf(weights);
  gemm(delta, weight.transposed(), y);
  const ConstMatrixView old = before.tensor(layer.y).matrixOf(box);
  for (Index r = 0; r < y.rows; ++r) {
    float* row = y.row(r).data();
    const float* was = old.row(r).data();
    for (Index c = 0; c < y.cols; ++c) row[c] += was[c];
  }
  // terms may be far larger than their sum
  return std::max(largestMagnitude(old), largestMagnitude(delta) * largestMagnitude(weight));
}

Change affectedByLinear(const Shape& y, const Change& x, const Change& weight, const Change& bias) {
  if (x.isAll() || weight.isAll() || bias.isAll()) return Change::all();
  Change change;
  for (const Box& box : x.boxes()) change.add(Box{box.item, 0, box.row, box.rows, 0, y[2]});
  const auto addColumns = [&](Index col, Index cols) {
    for (Index item = 0; item < y[0]; ++item) change.add(Box{item, 0, 0, y[1], col, cols});
  };
  for (const Box& box : weight.boxes()) addColumns(box.row, box.rows);
  for (const Box& box : bias.boxes()) addColumns(box.col, box.cols);
  return change;
}

void cutLinear(const Box& box, std::vector<Box>& pieces) {
  for (Index row = 0; row < box.rows; row += kPieceRows) {
    const Index rows = std::min(kPieceRows, box.rows - row);
    const Index end = box.col + box.cols;
    for (Index col = box.col; col < end; col = (col / kPanel + 1) * kPanel) {
      const Index cols = std::min((col / kPanel + 1) * kPanel, end) - col;
      pieces.push_back({box.item, box.head, box.row + row, rows, col, cols});
    }
  }
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Execution& execution) {
  Tensor y = Tensor::uninitialised({x.dim(0), x.dim(1), weight.dim(0)});
  std::vector<Box> pieces;
  cutLinear({0, 0, 0, y.dim(0) * y.dim(1), 0, y.dim(2)}, pieces);
  overPieces(static_cast<Index>(pieces.size()), execution, [&](Index i) {
    const Box& box = pieces[static_cast<std::size_t>(i)];
    multiplyAdd(x, columnsOf(weight, box), bias, box, y);
  });
  return y;
}

Index linearFlops(const Shape& out, Index in, bool bias) {
  return elementCount(out) * (2 * in + (bias ? 1 : 0));
}

Explanation explainLinear(const Trace& trace, const CellRef& cell, TensorId x, TensorId weight,
                          TensorId bias) {
  const auto name = [](TensorId id) { return std::string(info(id).name); };
  const bool biased = trace.config().bias;
  Explanation e =
      startExplanation(trace, cell,
                       name(cell.tensor) + "[b, t, o] = Σ_j " + name(x) + "[b, t, j] · " +
                           name(weight) + "[o, j]" + (biased ? " + " + name(bias) + "[o]" : ""));
  const Index in = trace.tensor(weight).dim(1);
  e.terms.reserve(static_cast<std::size_t>(in) + 1);
  for (Index j = 0; j < in; ++j) {
    e.terms.push_back(
        productTerm(trace, {x, cell.item, -1, cell.row, j}, {weight, -1, -1, cell.col, j}));
  }
  if (biased) e.terms.push_back(sourceTerm(trace, {bias, -1, -1, 0, cell.col}));
  sumTerms(e);
  return e;
}

}  // namespace headscope
