// Terms: building blocks of a cell's explanation, shared by the steps.
#pragma once

#include <algorithm>

#include "core/attention/gradients.h"
#include "core/attention/steps/step.h"

namespace headscope {

/// left · right, both read from the tensors.
Term productTerm(const LayerTensors& tensors, const CellRef& left, const CellRef& right);

/// One cell times 1: a bias, or the source of a reshape.
Term sourceTerm(const LayerTensors& tensors, const CellRef& source);

/// One cell times a plain number ("1/√64").
Term scaledTerm(const LayerTensors& tensors, const CellRef& source, std::string factor,
                double factorValue);

/// An explanation of `cell` with its value from the tensors, but without terms yet.
Explanation startExplanation(const LayerTensors& tensors, const CellRef& cell, std::string rule);

/// The index of the key/value head that head h reads: "h", or "⌊h/4⌋" where four share one.
std::string kvHeadIndex(const AttentionConfig& config);
/// The text ", over the 4 heads that share it"; empty where each head has its own keys and values.
std::string overGroup(const AttentionConfig& config);

/// Adds up the products in double.
void sumTerms(Explanation& explanation);

/// The cell of the gradient at the place of `cell`.
CellRef gradientOf(CellRef cell);
/// The gradient of a result's cell, which is zero if the cell is pinned, times another cell and a
/// plain factor (1: not shown).
Term gradientTerm(const Gradients& gradients, const CellRef& result, const CellRef& other,
                  double factor = 1.0);

/// New memory for a tensor of heads, in which the heads of a row are adjacent: (B,T,H,d_k) in
/// memory, viewed as (B,H,T,d_k).
Tensor headsMemory(TensorId id, const AttentionConfig& config, const BlockStorePtr& store);

/// Splits a tensor of rank 4 into blocks of kRows rows across all heads, one block per work item.
class RowsOfAllHeads {
 public:
  explicit RowsOfAllHeads(const Shape& shape)
      : items_(shape[0]), rows_(shape[2]), cols_(shape[3]), down_((rows_ + kRows - 1) / kRows) {}

  Index pieces() const { return items_ * down_; }
  Box box(Index piece) const {
    const Index row = piece % down_ * kRows;
    return {piece / down_, 0, row, std::min(kRows, rows_ - row), 0, cols_};
  }

 private:
  static constexpr Index kRows = 16;
  Index items_, rows_, cols_, down_;
};

/// Calls a function with each block of RowsOfAllHeads, in parallel.
template <typename Function>
void parallelForRowBlocks(const Tensor& tensor, const ExecutionContext& execution,
                          Function&& function) {
  const RowsOfAllHeads rows(tensor.shape());
  parallelFor(rows.pieces(), execution, [&](Index piece) { function(rows.box(piece)); });
}

/// Calls a function with boxes of rows that cover all matrices of a tensor of rank 4, in parallel.
/// The boxes depend on the shape alone.
template <typename Function>
void overRows(const Tensor& tensor, const ExecutionContext& execution, Function&& function) {
  constexpr Index kRows = 128;
  const Index down = (tensor.dim(2) + kRows - 1) / kRows;
  parallelFor(tensor.dim(0) * tensor.dim(1) * down, execution, [&](Index piece) {
    const Index row = piece % down * kRows;
    const Index matrix = piece / down;
    function(Box{matrix / tensor.dim(1), matrix % tensor.dim(1), row,
                 std::min(kRows, tensor.dim(2) - row), 0, tensor.dim(3)});
  });
}

}  // namespace headscope
