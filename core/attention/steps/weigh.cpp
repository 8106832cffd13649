// Step 7, weigh: head_i = g_i · A_i V_i, the values mixed by the weights; g_i is the head's gain
// (1; 0 for a head that is off). (B,H,T,M) · (B,H_kv,M,d_k) → (B,H,T,d_k), kept in memory as
// (B,T,H,d_k) so that concat is a view.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "core/attention/config.h"
#include "core/attention/steps/terms.h"
#include "core/base/translation.h"
#include "core/tensor/gemm.h"

namespace headscope {
namespace {

bool gained(const AttentionConfig& c) {
  return std::any_of(c.headGains.begin(), c.headGains.end(), [](float g) { return g != 1.0F; });
}

void applyGain(const MatrixView& head, float gain) {
  for (Index i = 0; i < head.rows; ++i) {
    for (float& value : head.row(i)) value = gain == 0.0F ? 0.0F : value * gain;
  }
}

class Weigh final : public Step {
 public:
  StepId id() const override { return StepId::weigh; }

  StepText text(const AttentionConfig& c) const override {
    const bool gains = gained(c);
    const std::string formula = gains ? "g A V" : "A V";
    const std::string product = fmt::format("weights @ {}", pytorchPerQueryHead("v", c));
    return {"weigh",
            tr("Weigh values"),
            tr("each query takes its share of every value"),
            formula,
            formula,
            {gains ? fmt::format("heads = gain.view(1, {}, 1, 1) * ({})", c.numHeads, product)
                   : "heads = " + product}};
  }

  std::vector<TensorId> operands(TensorId, const AttentionConfig&) const override {
    return {TensorId::weights, TensorId::v};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::heads}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::heads, c));
    return {cells * 2 * c.keys(), cells * 4};
  }

  bool sameSettings(const AttentionConfig& a, const AttentionConfig& b) const override {
    for (Index head = 0; head < b.numHeads; ++head) {
      if (a.gain(head) != b.gain(head)) return false;
    }
    return true;
  }

  std::string sign(const AttentionConfig& c, Index head) const override {
    return c.gain(head) == 1.0F ? "" : fmt::format("× {:g}", c.gain(head));
  }
  std::vector<std::string> beyondModule(const AttentionConfig& c) const override {
    if (!gained(c)) return {};
    return {tr("heads are switched off or weighted")};
  }

  StepWork work() const override { return StepWork::rows; }
  Tensor memory(TensorId, const AttentionConfig& c, const BlockStorePtr& store) const override {
    return headsMemory(TensorId::heads, c, store);
  }

  bool compute(AttentionTensors& tensors, TensorId output, const Box& box) const override {
    const AttentionConfig& c = tensors.config();
    const MatrixView out = tensors.cells(output, box);
    const Box rows{box.item, box.head, box.row, box.rows, 0, c.keys()};
    const Box columns{box.item, c.kvHead(box.head), 0, c.keys(), box.col, box.cols};
    gemm(tensors.cellsOf(TensorId::weights, rows), tensors.dense(TensorId::v).matrixOf(columns),
         out, {.precise = true});
    if (c.gain(box.head) != 1.0F) applyGain(out, c.gain(box.head));
    applyPins(tensors.pins(), output, box, out);
    return true;  // a value that is not finite shows in the output of its row
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    const float gain = c.gain(cell.head);
    const std::string factor = gain == 1.0F ? "" : fmt::format("{:g} · ", gain);
    Explanation e = startExplanation(
        tensors, cell,
        fmt::format("heads[b, h, i, d] = {}Σ_j weights[b, h, i, j] · v[b, {}, j, d]", factor,
                    kvHeadIndex(c)));
    for (Index j = 0; j < c.keys(); ++j) {
      Term term = productTerm(tensors, {TensorId::weights, cell.item, cell.head, cell.row, j},
                              {TensorId::v, cell.item, c.kvHead(cell.head), j, cell.col});
      term.before = factor;
      term.leftValue *= gain;
      term.product *= gain;
      e.terms.push_back(std::move(term));
    }
    sumTerms(e);
    return e;
  }

  /// dA_h = g dhead_h Vᵀ, and dV = Σ g A_hᵀ dhead_h over the heads that share V.
  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const AttentionConfig& c = gradients.config();
    const Tensor& v = gradients.values().tensor(TensorId::v);
    const Tensor& weights = gradients.values().tensor(TensorId::weights);
    const Tensor dHeads = gradients.gradientThroughPins(TensorId::heads);
    Tensor dWeights = Tensor::uninitialised(shapeOf(TensorId::weights, c), execution.memory);
    overRows(dWeights, execution, [&](const Box& box) {
      gemm(dHeads.matrixOf(Box{box.item, box.head, box.row, box.rows, 0, c.dK()}),
           v.matrixOf(box.item, c.kvHead(box.head)).transposed(), dWeights.mutableMatrixOf(box),
           {c.gain(box.head)});
    });
    Tensor dV = headsMemory(TensorId::v, c, execution.memory);
    overRows(dV, execution, [&](const Box& box) {
      const Index first = box.head * c.headsPerGroup();
      for (Index head = first; head < first + c.headsPerGroup(); ++head) {
        gemm(weights.matrixOf(Box{box.item, head, 0, c.seqLen, box.row, box.rows}).transposed(),
             dHeads.matrixOf(box.item, head), dV.mutableMatrixOf(box),
             {c.gain(head), head > first});
      }
    });
    gradients.put(TensorId::weights, std::move(dWeights));
    gradients.put(TensorId::v, std::move(dV));
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const AttentionConfig& c = gradients.config();
    const char* gain = gained(c) ? "g_h · " : "";
    if (cell.tensor == TensorId::weights) {
      Explanation e = startExplanation(
          gradients, cell,
          fmt::format("grad.weights[b, h, i, j] = {}Σ_d grad.heads[b, h, i, d] · v[b, {}, j, d]",
                      gain, kvHeadIndex(c)));
      for (Index d = 0; d < c.dK(); ++d) {
        e.terms.push_back(gradientTerm(
            gradients, {TensorId::heads, cell.item, cell.head, cell.row, d},
            {TensorId::v, cell.item, c.kvHead(cell.head), cell.col, d}, c.gain(cell.head)));
      }
      sumTerms(e);
      return e;
    }
    Explanation e = startExplanation(
        gradients, cell,
        fmt::format("grad.v[b, {}, j, d] = Σ_i {}grad.heads[b, h, i, d] · weights[b, h, i, j]{}",
                    kvHeadIndex(c), gain, overGroup(c)));
    const Index first = cell.head * c.headsPerGroup();
    for (Index head = first; head < first + c.headsPerGroup(); ++head) {
      for (Index i = 0; i < c.seqLen; ++i) {
        e.terms.push_back(gradientTerm(gradients, {TensorId::heads, cell.item, head, i, cell.col},
                                       {TensorId::weights, cell.item, head, i, cell.row},
                                       c.gain(head)));
      }
    }
    sumTerms(e);
    return e;
  }
};

}  // namespace

const Step& weighStep() {
  static const Weigh step;
  return step;
}

}  // namespace headscope
