// Step 9, output: concat W_Oᵀ + b_O, every head's columns meet their row block of W^O.
// (B,T,D) · (D,D) → (B,T,D).
#include <fmt/format.h>

#include "core/steps/linear.h"
#include "core/steps/steps.h"

namespace headscope {
namespace {

class Output final : public Step {
 public:
  StepId id() const override { return StepId::output; }

  StepText text(const AttentionConfig& c) const override {
    return {"output",
            "Output",
            "the output projection mixes the heads",
            c.bias ? "C W^O + b" : "C W^O",
            c.bias ? "W^O + b" : "W^O",
            c.bias ? "output = concat @ W_O.T + b_O" : "output = concat @ W_O.T"};
  }

  std::vector<TensorId> inputs(const AttentionConfig& c) const override {
    std::vector<TensorId> ids{TensorId::concat, TensorId::wO};
    if (c.bias) ids.push_back(TensorId::bO);
    return ids;
  }
  std::vector<TensorId> outputs() const override { return {TensorId::output}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Shape out = shapeOf(TensorId::output, c);
    return {linearFlops(out, c.dModel, c.bias), elementCount(out) * 4};
  }

  bool settingsChanged(const Document& before, const Document& after) const override {
    return before.config.bias != after.config.bias;
  }

  void forward(Trace& trace, const Changes&, const Execution& execution) const override {
    trace.put(TensorId::output,
              linear(trace.tensor(TensorId::concat), trace.tensor(TensorId::wO),
                     trace.config().bias ? trace.tensor(TensorId::bO) : Tensor{}, execution));
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    return explainLinear(trace, cell, TensorId::concat, TensorId::wO, TensorId::bO);
  }
};

}  // namespace

const Step& outputStep() {
  static const Output step;
  return step;
}

}  // namespace headscope
