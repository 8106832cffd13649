// Step 3, score: S_i = Q_i K_iᵀ, how well each query matches each key.
// (B,H,T,d_k) · (B,H_kv,M,d_k)ᵀ → (B,H,T,M). Heads of one group share a key head (GQA).
#include <fmt/format.h>

#include "core/gemm.h"
#include "core/steps/over_heads.h"
#include "core/steps/pinned.h"
#include "core/steps/pytorch.h"
#include "core/steps/steps.h"
#include "core/steps/terms.h"

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
            fmt::format("raw_scores = q @ {}.transpose(-2, -1)", perQueryHead("k", c))};
  }

  std::vector<TensorId> inputs(const AttentionConfig&) const override {
    return {TensorId::q, TensorId::k};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::rawScores}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::rawScores, c));
    return {cells * 2 * c.dK(), cells * 4};
  }

  bool settingsChanged(const Document& before, const Document& after) const override {
    return pinsDiffer(before, after, TensorId::rawScores);
  }

  void forward(Trace& trace, const Changes&, const Execution& execution) const override {
    const AttentionConfig& c = trace.config();
    Tensor scores = Tensor::uninitialised(shapeOf(TensorId::rawScores, c));
    overHeads(c, execution, [&](Index item, Index head) {
      gemm(trace.tensor(TensorId::q).matrix({item, head}),
           trace.tensor(TensorId::k).matrix({item, c.kvHead(head)}).transposed(),
           scores.mutableMatrix({item, head}));
      applyPins(trace.document(), TensorId::rawScores, item, head,
                scores.mutableMatrix({item, head}));
    });
    trace.put(TensorId::rawScores, std::move(scores));
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    const AttentionConfig& c = trace.config();
    Explanation e =
        startExplanation(trace, cell, "raw_scores[b, h, i, j] = Σ_d q[b, h, i, d] · k[b, h, j, d]");
    for (Index d = 0; d < c.dK(); ++d) {
      e.terms.push_back(productTerm(trace, {TensorId::q, cell.item, cell.head, cell.row, d},
                                    {TensorId::k, cell.item, c.kvHead(cell.head), cell.col, d}));
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
