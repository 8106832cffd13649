// Step 8, concat: the transpose and reshape back: (B,H,T,d_k) → (B,T,H·d_k). A view, no copy.
#include <fmt/format.h>

#include "core/attention/config.h"
#include "core/attention/steps/terms.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

class Concat final : public Step {
 public:
  StepId id() const override { return StepId::concat; }

  StepText text(const AttentionConfig& c) const override {
    return {"concat",
            tr("Concat"),
            tr("the heads side by side again"),
            fmt::format("{} × {} = {}", c.numHeads, c.dK(), c.queryWidth()),
            "concat",
            {fmt::format("concat = {}.transpose(1, 2).reshape(B, T, {})", info(joinedHeads(c)).name,
                         c.queryWidth())}};
  }

  std::vector<TensorId> operands(TensorId, const AttentionConfig& c) const override {
    return {joinedHeads(c)};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::concat}; }
  StepCost cost(const AttentionConfig&) const override { return {}; }

  StepWork work() const override { return StepWork::view; }
  Tensor view(TensorId output, const AttentionTensors& tensors) const override {
    return tensors.tensor(joinedHeads(tensors.config()))
        .transposed(1, 2)
        .reshaped(shapeOf(output, tensors.config()));
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const Index dK = tensors.config().dK();
    const TensorId joined = joinedHeads(tensors.config());
    const Index head = cell.col / dK;
    Explanation e = startExplanation(
        tensors, cell,
        trFormat("concat[b, t, h·{} + j] = {}[b, h, t, j]: column {} is column {} of head {}", dK,
                 info(joined).name, cell.col, cell.col % dK, head));
    e.terms.push_back(sourceTerm(tensors, {joined, cell.item, head, cell.row, cell.col % dK}));
    sumTerms(e);
    return e;
  }

  void backward(Gradients& gradients, const ExecutionContext&) const override {
    const AttentionConfig& c = gradients.config();
    const Tensor& concat = gradients.tensor(TensorId::concat);
    gradients.put(joinedHeads(c), concat.split(2, c.numHeads).transposed(1, 2));
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const Index dK = gradients.config().dK();
    const CellRef source{TensorId::concat, cell.item, -1, cell.row, cell.head * dK + cell.col};
    Explanation e = startExplanation(
        gradients, cell,
        trFormat("grad.{}[b, h, t, j] = grad.concat[b, t, h·{} + j]: the same place",
                 info(cell.tensor).name, dK));
    e.terms.push_back(sourceTerm(gradients, gradientOf(source)));
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
