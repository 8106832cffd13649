// Step 9, output: concat W_Oᵀ + b_O, every head's columns meet their row block of W^O.
// (B,T,D) · (D,D) → (B,T,D).
#include <fmt/format.h>

#include <optional>

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

  Change affected(TensorId output, const Transition& t) const override {
    const AttentionConfig& c = t.now.config;
    if (t.before.config.bias != c.bias) return Change::all();
    return affectedByLinear(shapeOf(output, c), t.of(TensorId::concat), t.of(TensorId::wO),
                            c.bias ? t.of(TensorId::bO) : Change::none());
  }

  Tensor memory(TensorId output, const AttentionConfig& c) const override {
    return Tensor::uninitialised(shapeOf(output, c));
  }

  bool compute(Trace& trace, TensorId output, const Box& box) const override {
    return computeLinear(trace, {TensorId::concat, TensorId::wO, TensorId::bO, output}, box);
  }

  std::optional<float> patch(Trace& trace, const Trace& before, TensorId output,
                             const Box& box) const override {
    return patchLinear(trace, before, {TensorId::concat, TensorId::wO, TensorId::bO, output}, box);
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
