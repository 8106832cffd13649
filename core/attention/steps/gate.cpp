// Step gate, between weigh and concat where the configuration has it: each number of a head is
// multiplied by a gate between 0 and 1, which the query's own token computes: G = σ(X W_Gᵀ + b_G),
// head' = G ⊙ head (Jumper et al. 2021, supplementary algorithm 7). Gates and gated heads are
// (B,H,T,d_k), kept in memory as (B,T,H,d_k) so that concat is a view.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/steps/linear.h"
#include "core/attention/steps/terms.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"
#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"

namespace headscope {
namespace {

/// 1/(1 + exp(−x)), without an exponential that overflows.
template <typename Number>
Number sigmoid(Number x) {
  const Number e = std::exp(-std::abs(x));
  return (x >= 0 ? Number(1) : e) / (1 + e);
}

/// The column of W_G's output that a cell of the gate is computed from.
Index columnOf(const CellRef& cell, const AttentionConfig& c) {
  return firstColumnOf(TensorId::heads, cell.head, c) + cell.col;
}

/// The cell of the gate that a column of W_G's output gives.
CellRef gateAt(Index item, Index row, Index column, const AttentionConfig& c) {
  return {TensorId::gate, item, column / c.dK(), row, column % c.dK()};
}

/// σ'(z) = σ(z) · (1 − σ(z)) at a cell of the gate.
double slopeAt(const Gradients& gradients, const CellRef& gate) {
  const double g = gradients.value(gate);
  return g * (1.0 - g);
}

/// Writes a · b, cell by cell, to a tensor of heads.
void multiply(const Tensor& a, const Tensor& b, Index item, Index head, Index row, Index rows,
              Tensor& product) {
  const Box box{item, head, row, rows, 0, product.dim(3)};
  const ConstMatrixView left = a.matrixOf(box), right = b.matrixOf(box);
  const MatrixView out = product.mutableMatrixOf(box);
  for (Index i = 0; i < rows; ++i) {
    for (Index d = 0; d < out.cols; ++d) out(i, d) = left(i, d) * right(i, d);
  }
}

class Gate final : public Step {
 public:
  StepId id() const override { return StepId::gate; }

  StepText text(const AttentionConfig& c) const override {
    const char* bias = c.switches->bias ? " + b_G" : "";
    return {"gate",
            tr("Gate"),
            tr("each token's gates multiply the numbers of its heads by 0 to 1"),
            fmt::format("σ(X W^G{}) ⊙ head", c.switches->bias ? " + b" : ""),
            "⊙ G",
            {fmt::format("gate = torch.sigmoid(x @ W_G.T{}).view(B, T, {}, {}).transpose(1, 2)",
                         bias, c.numHeads, c.dK()),
             "gated = gate * heads"}};
  }

  std::vector<TensorId> operands(TensorId output, const AttentionConfig& c) const override {
    if (output == TensorId::gated) return {TensorId::gate, TensorId::heads};
    if (!c.switches->bias) return {TensorId::x, TensorId::wG};
    return {TensorId::x, TensorId::wG, TensorId::bG};
  }
  /// Without the gate, which the step computes itself.
  std::vector<TensorId> inputs(const AttentionConfig& c) const override {
    std::vector<TensorId> ids = operands(TensorId::gate, c);
    ids.push_back(TensorId::heads);
    return ids;
  }
  std::vector<TensorId> outputs() const override { return {TensorId::gate, TensorId::gated}; }
  TensorId mainOutput() const override { return TensorId::gated; }

  /// The linear layer; per number 4 for the sigmoid and a multiply.
  StepCost cost(const AttentionConfig& c) const override {
    const Shape shape = shapeOf(TensorId::gate, c);
    const Index cells = elementCount(shape);
    return {linearFlops(shape, c.dModel, c.switches->bias) + 5 * cells, 2 * 4 * cells};
  }

  std::vector<std::string> beyondModule(const AttentionConfig&) const override {
    return {tr("heads are gated")};
  }

  StepWork work() const override { return StepWork::heads; }
  Tensor memory(TensorId output, const AttentionConfig& c,
                const BlockStorePtr& store) const override {
    return headsMemory(output, c, store);
  }

  bool compute(AttentionTensors& tensors, TensorId output, const Box& box) const override {
    if (output == TensorId::gate) return computeGate(tensors, box);
    const AttentionConfig& c = tensors.config();
    for (Index head = 0; head < c.numHeads; ++head) {
      multiply(tensors.tensor(TensorId::gate), tensors.tensor(TensorId::heads), box.item, head,
               box.row, box.rows, tensors.mutableTensor(TensorId::gated));
    }
    return true;  // a value that is not finite shows in the output of its row
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    if (cell.tensor == TensorId::gated) {
      Explanation e = startExplanation(tensors, cell,
                                       "gated[b, h, i, d] = gate[b, h, i, d] · heads[b, h, i, d]");
      CellRef gate = cell, head = cell;
      gate.tensor = TensorId::gate;
      head.tensor = TensorId::heads;
      e.terms.push_back(productTerm(tensors, gate, head));
      sumTerms(e);
      return e;
    }
    Explanation e = startExplanation(
        tensors, cell,
        fmt::format("gate[b, h, i, d] = σ(Σ_j x[b, i, j] · W_G[h·{0} + d, j]{1}), with σ(z) = "
                    "1 / (1 + exp(−z))",
                    c.dK(), c.switches->bias ? fmt::format(" + b_G[h·{} + d]", c.dK()) : ""));
    const Index column = columnOf(cell, c);
    for (Index j = 0; j < c.dModel; ++j) {
      e.terms.push_back(productTerm(tensors, {TensorId::x, cell.item, -1, cell.row, j},
                                    {TensorId::wG, -1, -1, column, j}));
    }
    if (c.switches->bias) e.terms.push_back(sourceTerm(tensors, {TensorId::bG, -1, -1, 0, column}));
    sumTerms(e);
    e.ending = ExplanationForm::function;
    e.before = "σ(";
    e.after = ")";
    e.functionValue = sigmoid(e.sum);
    return e;
  }

  /// dhead = G ⊙ dhead', dG = head ⊙ dhead'; through σ, dz = G (1 − G) dG, and the rest is that of
  /// a linear layer.
  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const AttentionConfig& c = gradients.config();
    const AttentionTensors& values = gradients.values();
    const Tensor& dGated = gradients.tensor(TensorId::gated);
    for (const auto& [id, factor] :
         {std::pair(TensorId::heads, TensorId::gate), std::pair(TensorId::gate, TensorId::heads)}) {
      const Tensor& other = values.tensor(factor);
      Tensor d = headsMemory(id, c, execution.memory);
      overRows(d, execution, [&](const Box& box) {
        multiply(dGated, other, box.item, box.head, box.row, box.rows, d);
      });
      gradients.put(id, std::move(d));
    }
    const Tensor dGate = gradients.gradientThroughPins(TensorId::gate);
    const Tensor& gate = values.tensor(TensorId::gate);
    Tensor dz = headsMemory(TensorId::gate, c, execution.memory);
    overRows(dz, execution, [&](const Box& box) {
      const ConstMatrixView g = gate.matrixOf(box), d = dGate.matrixOf(box);
      const MatrixView out = dz.mutableMatrixOf(box);
      for (Index i = 0; i < out.rows; ++i) {
        for (Index j = 0; j < out.cols; ++j) out(i, j) = d(i, j) * g(i, j) * (1.0F - g(i, j));
      }
    });
    const Tensor side = dz.transposed(1, 2).reshaped({c.batch, c.seqLen, c.queryWidth()});
    std::array layer{LinearBackward{values.tensor(TensorId::wG), side, c.switches->bias,
                                    !gradients.skipsGradient(TensorId::wG)}};
    Tensor dx = linearBackward(values.tensor(TensorId::x), layer, execution,
                               !gradients.skipsGradient(TensorId::x));
    if (!dx.empty()) gradients.put(TensorId::x, std::move(dx));
    if (!layer[0].weightWanted) return;
    gradients.put(TensorId::wG, std::move(layer[0].dWeight));
    if (c.switches->bias) gradients.put(TensorId::bG, std::move(layer[0].dBias));
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    if (cell.tensor == TensorId::gate || cell.tensor == TensorId::heads) {
      return explainFactor(gradients, cell);
    }
    const AttentionConfig& c = gradients.config();
    if (cell.tensor == TensorId::x) {
      Explanation e = startExplanation(
          gradients, cell, "grad.x[b, t, j] = Σ_o G (1 − G) · grad.gate[b, t, o] · W_G[o, j]");
      for (Index o = 0; o < c.queryWidth(); ++o) {
        const CellRef gate = gateAt(cell.item, cell.row, o, c);
        e.terms.push_back(gradientTerm(gradients, gate, {TensorId::wG, -1, -1, o, cell.col},
                                       slopeAt(gradients, gate)));
      }
      sumTerms(e);
      return e;
    }
    const bool bias = cell.tensor == TensorId::bG;
    const std::string dz = tr("Σ_bt G (1 − G) · grad.gate[b, t, o]");
    Explanation e = startExplanation(
        gradients, cell,
        bias ? "grad.b_G[o] = " + dz : tr("grad.W_G[o, j] = ") + dz + " · x[b, t, j]");
    const Index column = bias ? cell.col : cell.row;
    for (Index item = 0; item < c.batch; ++item) {
      for (Index row = 0; row < c.seqLen; ++row) {
        const CellRef gate = gateAt(item, row, column, c);
        const double slope = slopeAt(gradients, gate);
        if (bias) {
          const bool pinned = gradients.values().pins().at(gate).has_value();
          e.terms.push_back(
              scaledTerm(gradients, gradientOf(gate), "G (1 − G)", pinned ? 0.0 : slope));
        } else {
          e.terms.push_back(
              gradientTerm(gradients, gate, {TensorId::x, item, -1, row, cell.col}, slope));
        }
      }
    }
    sumTerms(e);
    return e;
  }

 private:
  static bool computeGate(AttentionTensors& tensors, const Box& box) {
    const AttentionConfig& c = tensors.config();
    Tensor& gate = tensors.mutableTensor(TensorId::gate);
    // the heads of a row are adjacent
    const MatrixView first = gate.mutableMatrix({box.item, 0});
    const MatrixView out{&first(box.row, 0), box.rows, c.queryWidth(), first.rowStride};
    gemm(tensors.tensor(TensorId::x).matrixOf(Box{box.item, 0, box.row, box.rows, 0, c.dModel}),
         tensors.tensor(TensorId::wG).matrix().transposed(), out);
    const bool finite =
        c.switches->bias ? addToRows(tensors.tensor(TensorId::bG).data(), out) : allFinite(out);
    for (Index i = 0; i < out.rows; ++i) {
      for (float& value : out.row(i)) value = sigmoid(value);
    }
    for (Index head = 0; head < c.numHeads; ++head) {
      const Box own{box.item, head, box.row, box.rows, 0, c.dK()};
      applyPins(tensors.pins(), TensorId::gate, own, gate.mutableMatrixOf(own));
    }
    return finite;
  }

  /// The gradient of one factor of a product: that of the product times the other factor.
  static Explanation explainFactor(const Gradients& gradients, const CellRef& cell) {
    const bool ofGate = cell.tensor == TensorId::gate;
    CellRef product = cell, other = cell;
    product.tensor = TensorId::gated;
    product.gradient = other.gradient = false;
    other.tensor = ofGate ? TensorId::heads : TensorId::gate;
    Explanation e = startExplanation(
        gradients, cell,
        fmt::format("grad.{}[b, h, i, d] = grad.gated[b, h, i, d] · {}[b, h, i, d]",
                    info(cell.tensor).name, info(other.tensor).name));
    e.terms.push_back(gradientTerm(gradients, product, other));
    sumTerms(e);
    return e;
  }
};

}  // namespace

const Step& gateStep() {
  static const Gate step;
  return step;
}

}  // namespace headscope
