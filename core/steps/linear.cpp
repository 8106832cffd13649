#include "core/steps/linear.h"

#include <Eigen/Core>
#include <algorithm>

#include "core/gemm.h"
#include "core/steps/terms.h"

namespace headscope {

namespace {

/// Rows of one product: a piece of work between two looks at whether the pass was cancelled (about
/// 2 GFLOP, and enough rows for the product to run at its best). By the shape alone, so that the
/// bits are the same in every run.
Index rowsAtOnce(const Tensor& weight) {
  constexpr Index kMultiplyAdds = Index{1} << 30;
  constexpr Index kFewest = 64;
  return std::max(kFewest, kMultiplyAdds / weight.size());
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Execution& execution) {
  const Index rows = x.dim(0) * x.dim(1);
  const Index width = weight.dim(0);
  const Index piece = rowsAtOnce(weight);
  Tensor out = Tensor::uninitialised({x.dim(0), x.dim(1), width});
  const Tensor from = x.reshaped({rows, x.dim(2)});
  const Tensor to = out.reshaped({rows, width});
  for (Index begin = 0; begin < rows && !execution.stop(); begin += piece) {
    const Index end = std::min(begin + piece, rows);
    const MatrixView y = to.slice(0, begin, end).mutableMatrix();
    gemm(from.slice(0, begin, end).matrix(), weight.matrix().transposed(), y);
    if (bias.empty()) continue;
    using Row = Eigen::Map<Eigen::ArrayXf>;
    const Eigen::Map<const Eigen::ArrayXf> b(bias.data(), width);
    for (Index r = 0; r < y.rows; ++r) Row(y.row(r).data(), width) += b;
  }
  return out;
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
