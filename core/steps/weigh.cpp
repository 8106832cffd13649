// Step 7, weigh: head_i = g_i · A_i V_i, the values mixed by the weights; g_i is the head's gain
// (1; 0 for a head that is off). (B,H,T,M) · (B,H_kv,M,d_k) → (B,H,T,d_k), kept in memory as
// (B,T,H,d_k) so that concat is a view.
#include <fmt/format.h>

#include <algorithm>

#include "core/gemm.h"
#include "core/steps/over_heads.h"
#include "core/steps/pinned.h"
#include "core/steps/pytorch.h"
#include "core/steps/steps.h"
#include "core/steps/terms.h"

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
    const std::string product = fmt::format("weights @ {}", perQueryHead("v", c));
    return {"weigh",
            "Weigh values",
            "each query takes its share of every value",
            formula,
            formula,
            gains ? fmt::format("heads = gain.view(1, {}, 1, 1) * ({})", c.numHeads, product)
                  : "heads = " + product};
  }

  std::vector<TensorId> inputs(const AttentionConfig&) const override {
    return {TensorId::weights, TensorId::v};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::heads}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::heads, c));
    return {cells * 2 * c.keys(), cells * 4};
  }

  bool settingsChanged(const Document& before, const Document& after) const override {
    for (Index h = 0; h < after.config.numHeads; ++h) {
      if (h >= before.config.numHeads || before.config.gain(h) != after.config.gain(h)) return true;
    }
    return pinsDiffer(before, after, TensorId::heads);
  }

  void forward(Trace& trace, const Changes&, const Execution& execution) const override {
    const AttentionConfig& c = trace.config();
    Tensor heads = Tensor::uninitialised({c.batch, c.seqLen, c.numHeads, c.dK()}).transposed(1, 2);
    overHeads(c, execution, [&](Index item, Index head) {
      const MatrixView out = heads.mutableMatrix({item, head});
      gemm(trace.tensor(TensorId::weights).matrix({item, head}),
           trace.tensor(TensorId::v).matrix({item, c.kvHead(head)}), out);
      if (c.gain(head) != 1.0F) applyGain(out, c.gain(head));
      applyPins(trace.document(), TensorId::heads, item, head, out);
    });
    trace.put(TensorId::heads, std::move(heads));
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    const AttentionConfig& c = trace.config();
    const float gain = c.gain(cell.head);
    const std::string factor = gain == 1.0F ? "" : fmt::format("{:g} · ", gain);
    Explanation e = startExplanation(
        trace, cell,
        fmt::format("heads[b, h, i, d] = {}Σ_j weights[b, h, i, j] · v[b, h, j, d]", factor));
    for (Index j = 0; j < c.keys(); ++j) {
      Term term = productTerm(trace, {TensorId::weights, cell.item, cell.head, cell.row, j},
                              {TensorId::v, cell.item, c.kvHead(cell.head), j, cell.col});
      term.left = factor + term.left;
      term.leftValue *= gain;
      term.product *= gain;
      e.terms.push_back(std::move(term));
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
