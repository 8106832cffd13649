// Step 3, score: S_i = Q_i K_iᵀ, how well each query matches each key.
// (B,H,T,d_k) · (B,H_kv,M,d_k)ᵀ → (B,H,T,M). Heads of one group share a key head (GQA).
#include <fmt/format.h>

#include "core/finite.h"
#include "core/gemm.h"
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

  Change affected(TensorId, const Transition& t) const override {
    const AttentionConfig& c = t.now.config;
    if (t.of(TensorId::q).isAll() || t.of(TensorId::k).isAll()) return Change::all();
    Change scores = pinChanges(t.before, t.now, TensorId::rawScores);
    for (const Box& q : t.of(TensorId::q).boxes()) {
      scores.add(Box{q.item, q.head, q.row, q.rows, 0, c.keys()});
    }
    for (const Box& k : t.of(TensorId::k).boxes()) {
      for (Index i = 0; i < c.headsPerGroup(); ++i) {
        scores.add(Box{k.item, k.head * c.headsPerGroup() + i, 0, c.seqLen, k.row, k.rows});
      }
    }
    return scores;
  }

  Tensor memory(TensorId output, const AttentionConfig& c) const override {
    return Tensor::uninitialised(shapeOf(output, c));
  }

  bool compute(Trace& trace, TensorId output, const Box& box) const override {
    const AttentionConfig& c = trace.config();
    const MatrixView scores = trace.cells(output, box);
    const Box queries{box.item, box.head, box.row, box.rows, 0, c.dK()};
    const Box keys{box.item, c.kvHead(box.head), box.col, box.cols, 0, c.dK()};
    gemm(trace.tensor(TensorId::q).matrixOf(queries),
         trace.tensor(TensorId::k).matrixOf(keys).transposed(), scores);
    applyPins(trace.document(), output, box, scores);
    return allFinite(scores);
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
