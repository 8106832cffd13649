// Step 3, score: S_i = Q_i K_iᵀ, how well each query matches each key.
// (B,H,T,d_k) · (B,H_kv,M,d_k)ᵀ → (B,H,T,M). Heads of one group share a key head (GQA).
#include <fmt/format.h>

#include "core/attention/config.h"
#include "core/attention/steps/terms.h"
#include "core/tensor/gemm.h"

namespace headscope {
namespace {

class Score final : public Step {
 public:
  StepId id() const override { return StepId::score; }

  StepText text(const AttentionConfig& c) const override {
    return {"score",
            "Score",
            "how well each query matches each key",
            "S = Q K^T",
            "Q K^T",
            {fmt::format("raw_scores = {} @ {}.transpose(-2, -1)", info(scoredQueries(c)).name,
                         pytorchPerQueryHead(info(scoredKeys(c)).name, c))}};
  }

  std::vector<TensorId> operands(TensorId, const AttentionConfig& c) const override {
    return {scoredQueries(c), scoredKeys(c)};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::rawScores}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::rawScores, c));
    return {cells * 2 * c.dK(), cells * 4};
  }

  StepWork work() const override { return StepWork::rows; }

  bool compute(AttentionTensors& tensors, TensorId output, const Box& box) const override {
    const AttentionConfig& c = tensors.config();
    const MatrixView scores = tensors.cells(output, box);
    const Box queries{box.item, box.head, box.row, box.rows, 0, c.dK()};
    const Box keys{box.item, c.kvHead(box.head), box.col, box.cols, 0, c.dK()};
    gemm(tensors.tensor(scoredQueries(c)).matrixOf(queries),
         tensors.dense(scoredKeys(c)).matrixOf(keys).transposed(), scores);
    applyPins(tensors.pins(), output, box, scores);
    return true;  // softmax checks that they are finite
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    Explanation e = startExplanation(
        tensors, cell,
        fmt::format("raw_scores[b, h, i, j] = Σ_d {}[b, h, i, d] · {}[b, {}, j, d]",
                    info(scoredQueries(c)).name, info(scoredKeys(c)).name, kvHeadIndex(c)));
    for (Index d = 0; d < c.dK(); ++d) {
      e.terms.push_back(productTerm(tensors, {scoredQueries(c), cell.item, cell.head, cell.row, d},
                                    {scoredKeys(c), cell.item, c.kvHead(cell.head), cell.col, d}));
    }
    sumTerms(e);
    return e;
  }

  /// dQ_h = dS_h K, and dK = Σ dS_hᵀ Q_h over the heads that share K.
  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const AttentionConfig& c = gradients.config();
    const Tensor& q = gradients.values().tensor(scoredQueries(c));
    const Tensor& k = gradients.values().tensor(scoredKeys(c));
    const Tensor dScores = gradients.gradientThroughPins(TensorId::rawScores);
    Tensor dQ = headsMemory(scoredQueries(c), c, execution.memory);
    overRows(dQ, execution, [&](const Box& box) {
      gemm(dScores.matrixOf(Box{box.item, box.head, box.row, box.rows, 0, c.keys()}),
           k.matrixOf(box.item, c.kvHead(box.head)), dQ.mutableMatrixOf(box));
    });
    Tensor dK = headsMemory(scoredKeys(c), c, execution.memory);
    overRows(dK, execution, [&](const Box& box) {
      const Index first = box.head * c.headsPerGroup();
      for (Index head = first; head < first + c.headsPerGroup(); ++head) {
        gemm(dScores.matrixOf(Box{box.item, head, 0, c.seqLen, box.row, box.rows}).transposed(),
             q.matrixOf(box.item, head), dK.mutableMatrixOf(box), {1.0F, head > first});
      }
    });
    gradients.put(scoredQueries(c), std::move(dQ));
    gradients.put(scoredKeys(c), std::move(dK));
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const AttentionConfig& c = gradients.config();
    if (cell.tensor == scoredQueries(c)) {
      Explanation e = startExplanation(
          gradients, cell,
          fmt::format("grad.{}[b, h, i, d] = Σ_j grad.raw_scores[b, h, i, j] · {}[b, {}, j, d]",
                      info(scoredQueries(c)).name, info(scoredKeys(c)).name, kvHeadIndex(c)));
      for (Index j = 0; j < c.keys(); ++j) {
        e.terms.push_back(
            gradientTerm(gradients, {TensorId::rawScores, cell.item, cell.head, cell.row, j},
                         {scoredKeys(c), cell.item, c.kvHead(cell.head), j, cell.col}));
      }
      sumTerms(e);
      return e;
    }
    Explanation e = startExplanation(
        gradients, cell,
        fmt::format("grad.{}[b, {}, j, d] = Σ_i grad.raw_scores[b, h, i, j] · {}[b, h, i, d]{}",
                    info(scoredKeys(c)).name, kvHeadIndex(c), info(scoredQueries(c)).name,
                    overGroup(c)));
    const Index first = cell.head * c.headsPerGroup();
    for (Index head = first; head < first + c.headsPerGroup(); ++head) {
      for (Index i = 0; i < c.seqLen; ++i) {
        e.terms.push_back(gradientTerm(gradients,
                                       {TensorId::rawScores, cell.item, head, i, cell.row},
                                       {scoredQueries(c), cell.item, head, i, cell.col}));
      }
    }
    sumTerms(e);
    return e;
  }
};

}  // namespace

const Step& scoreStep() {
  static const Score step;
  return step;
}

}  // namespace headscope
