#include "core/attention/steps/linear.h"

#include <Eigen/Core>
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/steps/terms.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"

namespace headscope {

namespace {

/// The rows of one product, which is a panel wide. Between two products the pass checks for
/// cancellation. This is small enough for equal shares among a few threads, and large enough for
/// the full speed of the product (bench/README.md).
constexpr Index kPieceRows = 256;

/// Rows of a dense (B, T, width) tensor, counted across items.
ConstMatrixView rowsOf(const Tensor& t, const Box& box) {
  const Index width = t.dim(2);
  return {t.data() + (box.item * t.dim(1) + box.row) * width, box.rows, width, width, 1};
}

/// A box of a dense (B, T, width) tensor, its rows counted across items.
MatrixView boxOf(Tensor& t, const Box& box) {
  const ConstMatrixView rows = rowsOf(t, box);
  return {t.mutableData() + (rows.data - t.data()) + box.col, box.rows, box.cols, rows.rowStride};
}

/// Computes a box of y and returns whether it is finite. `weight`: the box's columns of Wᵀ.
bool multiplyAdd(const Tensor& x, const ConstMatrixView& weight, const Tensor& bias, const Box& box,
                 Tensor& y) {
  const MatrixView out = boxOf(y, box);
  gemm(rowsOf(x, box), weight, out, {.precise = true});
  return bias.empty() ? allFinite(out) : addToRows(bias.data() + box.col, out);
}

/// The rows of W for a box, as columns of Wᵀ.
ConstMatrixView columnsOf(const Tensor& weight, const Box& box) {
  return weight.matrixOf(Box{0, 0, box.col, box.cols, 0, weight.dim(1)}).transposed();
}

ConstMatrixView panelOf(const Tensor& packed, const Box& box) {
  const ConstMatrixView panel = packed.matrix({box.col / kPanel});
  return {panel.data + box.col % kPanel, panel.rows, box.cols, panel.rowStride, 1};
}

/// The side of a square that Eigen transposes in the processor's registers.
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

/// Memory of the columns of Wᵀ that are widened for one product; empty where none are.
using WidenedColumns = std::unique_ptr<float[]>;

WidenedColumns widened(const HalfMatrix& weight, const Box& box) {
  auto numbers =
      std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(box.rows * box.cols));
  weight.widenBox(box, numbers.get());
  return numbers;
}

/// Computes y = x Wᵀ + b; a function provides the columns of Wᵀ for each box, in the memory that it
/// is given where they are widened.
template <typename Columns>
Tensor overLinearPieces(const Tensor& x, Index out, const Tensor& bias,
                        const ExecutionContext& execution, Columns&& columns) {
  Tensor y = Tensor::uninitialised({x.dim(0), x.dim(1), out}, execution.memory);
  const std::vector<Box> pieces = linearPieces(y.shape());
  parallelFor(static_cast<Index>(pieces.size()), execution, [&](Index i) {
    const Box& box = pieces[static_cast<std::size_t>(i)];
    WidenedColumns memory;
    multiplyAdd(x, columns(box, memory), bias, box, y);
  });
  return y;
}

/// Columns of a dense (B, T, width) tensor, over the rows of all items.
ConstMatrixView columnsOfAll(const Tensor& t, Index col, Index cols) {
  return {t.data() + col, t.dim(0) * t.dim(1), cols, t.dim(2), 1};
}

/// Computes dx, given a function that writes or adds the part of a box to it.
template <typename Part>
Tensor overInputPieces(const Tensor& dy, Index in, const ExecutionContext& execution, Part&& part) {
  Tensor dx = Tensor::uninitialised({dy.dim(0), dy.dim(1), in}, execution.memory);
  const std::vector<Box> pieces = linearPieces(dx.shape());
  parallelFor(static_cast<Index>(pieces.size()), execution, [&](Index i) {
    const Box& box = pieces[static_cast<std::size_t>(i)];
    part(box, boxOf(dx, box));
  });
  return dx;
}

/// Writes dy · weight, or adds it, to a box of dx.
void inputGradient(const Tensor& dy, const Tensor& weight, const Box& box, const MatrixView& dx,
                   bool add) {
  gemm(rowsOf(dy, box), weight.matrixOf(Box{0, 0, 0, weight.dim(0), box.col, box.cols}), dx,
       {1.0F, add});
}

/// The layers that read x.
std::vector<LinearLayer> layersOn(TensorId x, std::span<const LinearLayer> layers) {
  std::vector<LinearLayer> on;
  std::copy_if(layers.begin(), layers.end(), std::back_inserter(on),
               [x](const LinearLayer& layer) { return layer.x == x; });
  return on;
}

/// Adds a tensor of the same shape; both are dense.
void addTo(Tensor& sum, const Tensor& other) {
  float* to = sum.mutableData();
  const float* from = other.data();
  for (Index i = 0; i < sum.size(); ++i) to[i] += from[i];
}

/// Computes a block of dW = dyᵀ x from row `row` and column `col`, at most a panel's width each
/// way; with the first columns also its part of db.
void weightGradient(const Tensor& x, LinearBackward& layer, Index row, Index col) {
  Tensor& dw = layer.dWeight;
  const Box box{
      0, 0, row, std::min(kPanel, dw.dim(0) - row), col, std::min(kPanel, dw.dim(1) - col)};
  const ConstMatrixView dy = columnsOfAll(layer.dy, box.row, box.rows);
  gemm(dy.transposed(), columnsOfAll(x, box.col, box.cols), dw.mutableMatrixOf(box));
  if (!layer.bias || col > 0) return;
  float* sums = layer.dBias.mutableData() + box.row;
  for (Index r = 0; r < dy.rows; ++r) {
    const float* from = dy.row(r).data();
    for (Index c = 0; c < dy.cols; ++c) sums[c] += from[c];
  }
}

}  // namespace

Tensor packedMemory(const Tensor& weight, const BlockStorePtr& store) {
  return Tensor::uninitialised(packedShape(weight.shape()), store);
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

std::vector<Box> linearPieces(const Shape& y) {
  std::vector<Box> pieces;
  const Index allRows = y[0] * y[1];
  for (Index row = 0; row < allRows; row += kPieceRows) {
    const Index rows = std::min(kPieceRows, allRows - row);
    for (Index col = 0; col < y[2]; col += kPanel) {
      pieces.push_back({0, 0, row, rows, col, std::min(kPanel, y[2] - col)});
    }
  }
  return pieces;
}

bool computeLinear(AttentionTensors& tensors, const LinearLayer& layer, const Box& piece) {
  const Tensor& weight = tensors.tensor(layer.weight);
  const Tensor& packed = tensors.packed(layer.weight);
  static const Tensor kNoBias;
  return multiplyAdd(tensors.tensor(layer.x),
                     packed.empty() ? columnsOf(weight, piece) : panelOf(packed, piece),
                     tensors.config().switches->bias ? tensors.tensor(layer.bias) : kNoBias, piece,
                     tensors.mutableTensor(layer.y));
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const ExecutionContext& execution) {
  return overLinearPieces(x, weight.dim(0), bias, execution,
                          [&](const Box& box, WidenedColumns&) { return columnsOf(weight, box); });
}

PackedWeight packed(const Tensor& weight) {
  if (weight.empty()) return {};
  PackedWeight to{weight.dim(0), packedMemory(weight, nullptr)};
  parallelFor(to.panels.dim(0), {}, [&](Index panel) { packPanel(weight, panel, to.panels); });
  return to;
}

Tensor linear(const Tensor& x, const PackedWeight& weight, const Tensor& bias,
              const ExecutionContext& execution) {
  if (!weight.halves.empty()) {
    const Index depth = x.dim(2), width = weight.halves.cols();
    return overLinearPieces(
        x, weight.out, bias, execution, [&](const Box& box, WidenedColumns& memory) {
          memory = widened(weight.halves, {0, 0, box.col / kPanel * depth, depth, 0, width});
          return ConstMatrixView{memory.get(), depth, box.cols, width, 1};
        });
  }
  return overLinearPieces(x, weight.out, bias, execution, [&](const Box& box, WidenedColumns&) {
    return panelOf(weight.panels, box);
  });
}

PackedWeight packed(const StoredMatrix& stored) {
  if (stored.half().empty()) return packed(stored.full());
  const HalfMatrix& weight = stored.half();
  const Shape shape = packedShape({weight.rows(), weight.cols()});
  const Index depth = shape[1], width = shape[2];
  const std::shared_ptr<std::uint16_t[]> numbers(
      new std::uint16_t[static_cast<std::size_t>(elementCount(shape))]);
  parallelFor(shape[0], {}, [&](Index panel) {
    std::uint16_t* to = numbers.get() + panel * depth * width;
    const Index rows = std::min(width, weight.rows() - panel * kPanel);
    constexpr Index kBand = 32;  // columns of W: a cache line
    for (Index begin = 0; begin < depth; begin += kBand) {
      const Index end = std::min(begin + kBand, depth);
      for (Index r = 0; r < rows; ++r) {
        const std::uint16_t* from = weight.row(panel * kPanel + r);
        for (Index k = begin; k < end; ++k) to[k * width + r] = from[k];
      }
      for (Index k = begin; k < end; ++k) std::fill(to + k * width + rows, to + (k + 1) * width, 0);
    }
  });
  return {weight.rows(), {}, {weight.kind(), shape[0] * depth, width, numbers}};
}

Index PackedWeight::bytes() const {
  if (!halves.empty()) return halves.bytes();
  return panels.empty() ? 0 : panels.size() * static_cast<Index>(sizeof(float));
}

Tensor PackedWeight::widenedPanels() const {
  if (halves.empty()) return panels;
  const Index count = (out + kPanel - 1) / kPanel;
  return halves.widened().reshaped({count, halves.rows() / count, halves.cols()});
}

Tensor linear(const Tensor& x, const StoredMatrix& weight, const Tensor& bias,
              const ExecutionContext& execution) {
  if (weight.half().empty()) return linear(x, weight.full(), bias, execution);
  const HalfMatrix& half = weight.half();
  return overLinearPieces(
      x, half.rows(), bias, execution, [&](const Box& box, WidenedColumns& memory) {
        const Box rows{0, 0, box.col, box.cols, 0, half.cols()};
        memory = widened(half, rows);
        return ConstMatrixView{memory.get(), rows.rows, rows.cols, rows.cols, 1}.transposed();
      });
}

Index linearFlops(const Shape& out, Index in, bool bias) {
  return elementCount(out) * (2 * in + (bias ? 1 : 0));
}

std::vector<TensorId> linearOperands(const LinearLayer& layer, const AttentionConfig& config) {
  if (!config.switches->bias) return {layer.x, layer.weight};
  return {layer.x, layer.weight, layer.bias};
}

Tensor linearBackward(const Tensor& x, std::span<LinearBackward> layers,
                      const ExecutionContext& execution, bool wanted) {
  struct PanelContext {
    LinearBackward& layer;
    Index row, col;
  };
  std::vector<PanelContext> panels;
  for (LinearBackward& layer : layers) {
    if (!layer.weightWanted) continue;
    const Shape& shape = layer.weight.shape();
    layer.dWeight = Tensor::uninitialised(shape, execution.memory);
    if (layer.bias) layer.dBias = Tensor::zeros({shape[0]});
    for (Index row = 0; row < shape[0]; row += kPanel) {
      for (Index col = 0; col < shape[1]; col += kPanel) panels.push_back({layer, row, col});
    }
  }
  Tensor dx;
  std::vector<Box> boxes;
  if (wanted) {
    dx = Tensor::uninitialised(x.shape(), execution.memory);
    boxes = linearPieces(dx.shape());
  }
  // the larger pieces first, so that threads finish together
  parallelFor(static_cast<Index>(panels.size() + boxes.size()), execution, [&](Index i) {
    const auto piece = static_cast<std::size_t>(i);
    if (piece < panels.size()) {
      const auto& [layer, row, col] = panels[piece];
      return weightGradient(x, layer, row, col);
    }
    const Box& box = boxes[piece - panels.size()];
    const MatrixView out = boxOf(dx, box);
    bool add = false;
    for (const LinearBackward& layer : layers) {
      inputGradient(layer.dy, layer.weight, box, out, std::exchange(add, true));
    }
  });
  return dx;
}

Tensor linearInputGradient(const Tensor& dy, const Tensor& weight,
                           const ExecutionContext& execution) {
  return overInputPieces(dy, weight.dim(1), execution, [&](const Box& box, const MatrixView& dx) {
    inputGradient(dy, weight, box, dx, false);
  });
}

Tensor linearInputGradient(const Tensor& dy, const StoredMatrix& weight,
                           const ExecutionContext& execution) {
  if (weight.half().empty()) return linearInputGradient(dy, weight.full(), execution);
  constexpr Index kBand = 256;  // rows that are widened together
  return overInputPieces(dy, weight.cols(), execution, [&](const Box& box, const MatrixView& dx) {
    const ConstMatrixView rows = rowsOf(dy, box);
    std::vector<float> wide(static_cast<std::size_t>(kBand * box.cols));
    for (Index first = 0; first < weight.rows(); first += kBand) {
      const Index count = std::min(kBand, weight.rows() - first);
      weight.half().widenBox({0, 0, first, count, box.col, box.cols}, wide.data());
      gemm({rows.data + first, rows.rows, count, rows.rowStride},
           {wide.data(), count, box.cols, box.cols}, dx, {1.0F, first > 0});
    }
  });
}

Tensor linearInputGradient(const Tensor& dy, const PackedWeight& weight,
                           const ExecutionContext& execution) {
  const bool half = !weight.halves.empty();
  const Index count = (weight.out + kPanel - 1) / kPanel;
  const Index in = half ? weight.halves.rows() / count : weight.panels.dim(1);
  return overInputPieces(dy, in, execution, [&](const Box& box, const MatrixView& dx) {
    const ConstMatrixView rows = rowsOf(dy, box);
    std::vector<float> wide;
    if (half) wide.resize(static_cast<std::size_t>(box.cols * weight.halves.cols()));
    for (Index panel = 0; panel < count; ++panel) {
      const Index first = panel * kPanel;
      const Index outs = std::min(kPanel, weight.out - first);
      ConstMatrixView part;
      if (half) {
        const Index width = weight.halves.cols();
        weight.halves.widenBox({0, 0, panel * in + box.col, box.cols, 0, width}, wide.data());
        part = {wide.data(), box.cols, outs, width};
      } else {
        const ConstMatrixView turned = weight.panels.matrix({panel});
        part = {turned.data + box.col * turned.rowStride, box.cols, outs, turned.rowStride};
      }
      gemm({rows.data + first, rows.rows, outs, rows.rowStride}, part.transposed(), dx,
           {1.0F, panel > 0});
    }
  });
}

Explanation explainLinear(const AttentionTensors& tensors, const CellRef& cell,
                          const LinearLayer& layer) {
  const auto name = [](TensorId id) { return std::string(info(id).name); };
  const bool biased = tensors.config().switches->bias;
  Explanation e = startExplanation(tensors, cell,
                                   name(cell.tensor) + "[b, t, o] = Σ_j " + name(layer.x) +
                                       "[b, t, j] · " + name(layer.weight) + "[o, j]" +
                                       (biased ? " + " + name(layer.bias) + "[o]" : ""));
  const Index in = tensors.tensor(layer.weight).dim(1);
  e.terms.reserve(static_cast<std::size_t>(in) + 1);
  for (Index j = 0; j < in; ++j) {
    e.terms.push_back(productTerm(tensors, {layer.x, cell.item, -1, cell.row, j},
                                  {layer.weight, -1, -1, cell.col, j}));
  }
  if (biased) e.terms.push_back(sourceTerm(tensors, {layer.bias, -1, -1, 0, cell.col}));
  sumTerms(e);
  return e;
}

void linearGradients(Gradients& gradients, std::span<const LinearLayer> layers,
                     const ExecutionContext& execution) {
  const AttentionTensors& values = gradients.values();
  for (const LinearLayer& first : layers) {
    const std::vector<LinearLayer> reading = layersOn(first.x, layers);
    if (reading.front().y != first.y) continue;  // done with another layer of this x
    std::vector<LinearBackward> backward;
    for (const LinearLayer& layer : reading) {
      backward.push_back({values.tensor(layer.weight), gradients.tensor(layer.y),
                          values.config().switches->bias, !gradients.skipsGradient(layer.weight)});
    }
    Tensor dx = linearBackward(values.tensor(first.x), backward, execution,
                               !gradients.skipsGradient(first.x));
    if (!dx.empty()) {
      // a step behind this one may read x, too
      if (const Tensor& other = gradients.tensor(first.x); !other.empty()) addTo(dx, other);
      gradients.put(first.x, std::move(dx));
    }
    for (std::size_t i = 0; i < reading.size(); ++i) {
      if (!backward[i].weightWanted) continue;
      gradients.put(reading[i].weight, std::move(backward[i].dWeight));
      if (values.config().switches->bias)
        gradients.put(reading[i].bias, std::move(backward[i].dBias));
    }
  }
}

Explanation explainLinearGradient(const Gradients& gradients, const CellRef& cell,
                                  std::span<const LinearLayer> layers) {
  const std::vector<LinearLayer> reading = layersOn(cell.tensor, layers);
  const auto name = [](TensorId id) { return std::string(info(id).name); };
  if (!reading.empty()) {
    std::string rule = tr("grad.") + name(cell.tensor) + "[b, t, j] = ";
    for (const LinearLayer& layer : reading) {
      if (layer.y != reading.front().y) rule += " + ";
      rule += tr("Σ_o grad.") + name(layer.y) + "[b, t, o] · " + name(layer.weight) + "[o, j]";
    }
    Explanation e = startExplanation(gradients, cell, std::move(rule));
    for (const LinearLayer& layer : reading) {
      for (Index o = 0; o < gradients.tensor(layer.y).dim(2); ++o) {
        e.terms.push_back(gradientTerm(gradients, {layer.y, cell.item, -1, cell.row, o},
                                       {layer.weight, -1, -1, o, cell.col}));
      }
    }
    sumTerms(e);
    return e;
  }
  const LinearLayer& layer =
      *std::find_if(layers.begin(), layers.end(), [&](const LinearLayer& each) {
        return each.weight == cell.tensor || each.bias == cell.tensor;
      });
  const bool bias = layer.bias == cell.tensor;
  const std::string dy = tr("Σ_bt grad.") + name(layer.y) + "[b, t, o]";
  Explanation e = startExplanation(gradients, cell,
                                   bias ? tr("grad.") + name(layer.bias) + "[o] = " + dy
                                        : tr("grad.") + name(layer.weight) + "[o, j] = " + dy +
                                              " · " + name(layer.x) + "[b, t, j]");
  const Index out = bias ? cell.col : cell.row;
  const Tensor& y = gradients.tensor(layer.y);
  for (Index item = 0; item < y.dim(0); ++item) {
    for (Index row = 0; row < y.dim(1); ++row) {
      const CellRef from{layer.y, item, -1, row, out};
      e.terms.push_back(bias ? sourceTerm(gradients, gradientOf(from))
                             : gradientTerm(gradients, from, {layer.x, item, -1, row, cell.col}));
    }
  }
  sumTerms(e);
  return e;
}

}  // namespace headscope
