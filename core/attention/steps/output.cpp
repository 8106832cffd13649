// Step 9, output: concat W_Oᵀ + b_O. Each head's columns are multiplied by their row block of W^O.
// (B,T,H·d_k) · (D,H·d_k)ᵀ → (B,T,D).
#include <fmt/format.h>

#include "core/attention/config.h"
#include "core/attention/gradients.h"
#include "core/attention/steps/linear.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

constexpr LinearLayer kOutput{TensorId::concat, TensorId::wO, TensorId::bO, TensorId::output};

class Output final : public Step {
 public:
  StepId id() const override { return StepId::output; }

  StepText text(const AttentionConfig& c) const override {
    return {"output",
            tr("Output"),
            tr("the output projection mixes the heads"),
            c.switches->bias ? "C W^O + b" : "C W^O",
            c.switches->bias ? "W^O + b" : "W^O",
            {c.switches->bias ? "output = concat @ W_O.T + b_O" : "output = concat @ W_O.T"}};
  }

  std::vector<TensorId> operands(TensorId, const AttentionConfig& c) const override {
    return linearOperands(kOutput, c);
  }
  std::vector<TensorId> outputs() const override { return {TensorId::output}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Shape out = shapeOf(TensorId::output, c);
    return {linearFlops(out, c.queryWidth(), c.switches->bias), elementCount(out) * 4};
  }

  StepWork work() const override { return StepWork::linear; }
  std::vector<LinearLayer> layers(const AttentionConfig&) const override { return {kOutput}; }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    return explainLinear(tensors, cell, kOutput);
  }

  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    linearGradients(gradients, {&kOutput, 1}, execution);
  }
  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    return explainLinearGradient(gradients, cell, {&kOutput, 1});
  }
};

}  // namespace

const Step& outputStep() {
  static const Output step;
  return step;
}

}  // namespace headscope
