// Step 8, concat: the transpose and reshape back: (B,H,T,d_k) → (B,T,D). A view, no copy.
#include <fmt/format.h>

#include "core/steps/steps.h"
#include "core/steps/terms.h"

namespace headscope {
namespace {

class Concat final : public Step {
 public:
  StepId id() const override { return StepId::concat; }

  StepText text(const AttentionConfig& c) const override {
    return {"concat",
            "Concat",
            "the heads side by side again",
            fmt::format("{} × {} = {}", c.numHeads, c.dK(), c.dModel),
            "concat",
            fmt::format("concat = heads.transpose(1, 2).reshape(B, T, {})", c.dModel)};
  }

  std::vector<TensorId> inputs(const AttentionConfig&) const override { return {TensorId::heads}; }
  std::vector<TensorId> outputs() const override { return {TensorId::concat}; }
  StepCost cost(const AttentionConfig&) const override { return {}; }

  Change affected(TensorId, const Transition& t) const override {
    if (t.of(TensorId::heads).isAll()) return Change::all();
    Change concat;
    for (const Box& box : t.of(TensorId::heads).boxes()) {
      concat.add(
          Box{box.item, 0, box.row, box.rows, box.head * t.now.config.dK() + box.col, box.cols});
    }
    return concat;
  }

  Tensor view(TensorId output, const Trace& trace) const override {
    return trace.tensor(TensorId::heads).transposed(1, 2).reshaped(shapeOf(output, trace.config()));
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    const Index dK = trace.config().dK();
    const Index head = cell.col / dK;
    Explanation e = startExplanation(
        trace, cell,
        fmt::format("concat[b, t, h·{} + j] = heads[b, h, t, j]: column {} is column {} of head {}",
                    dK, cell.col, cell.col % dK, head));
    e.terms.push_back(
        sourceTerm(trace, {TensorId::heads, cell.item, head, cell.row, cell.col % dK}));
    sumTerms(e);
    return e;
  }
};

}  // namespace

const Step& concatStep() {
  static const Concat step;
  return step;
}

}  // namespace headscope
