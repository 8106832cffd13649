// Step 1, project: Q = X W_Qᵀ + b_Q, K and V likewise (from X, or from the memory in
// cross-attention). (B,T,D) · (D,D) → (B,T,D); K and V: (B,M,D_kv).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/gemm.h"
#include "core/steps/linear.h"
#include "core/steps/steps.h"
#include "core/steps/terms.h"

namespace headscope {
namespace {

struct Projection {
  TensorId result, weight, bias;
  bool fromMemory;  // in cross-attention
};
constexpr Projection kProjections[] = {
    {TensorId::qProj, TensorId::wQ, TensorId::bQ, false},
    {TensorId::kProj, TensorId::wK, TensorId::bK, true},
    {TensorId::vProj, TensorId::wV, TensorId::bV, true},
};

TensorId sourceOf(const Projection& p, const AttentionConfig& c) {
  return p.fromMemory && c.crossAttention() ? TensorId::memory : TensorId::x;
}

class Project final : public Step {
 public:
  StepId id() const override { return StepId::project; }

  StepText text(const AttentionConfig& c) const override {
    const char* bias = c.bias ? " + b" : "";
    std::vector<std::string> lines;
    for (const auto& p : kProjections) {
      lines.push_back(fmt::format("{} = {} @ {}.T", info(p.result).name, info(sourceOf(p, c)).name,
                                  info(p.weight).name));
      if (c.bias) lines.back() += fmt::format(" + {}", info(p.bias).name);
    }
    const std::string pytorch = fmt::format("{}", fmt::join(lines, "; "));
    if (c.crossAttention()) {
      return {"project",
              "Project",
              "tokens become queries, the memory's become keys and values",
              fmt::format("X W^Q, memory W^{{K,V}}{}", bias),
              fmt::format("Q = X W{0}; K, V = memory W{0}", bias),
              pytorch};
    }
    const std::string formula = fmt::format("Q, K, V = X W{}", bias);
    return {"project", "Project", "every token becomes a query, a key and a value",
            formula,   formula,   pytorch};
  }

  std::vector<TensorId> inputs(const AttentionConfig& c) const override {
    std::vector<TensorId> ids{TensorId::x};
    if (c.crossAttention()) ids.push_back(TensorId::memory);
    for (const auto& p : kProjections) ids.push_back(p.weight);
    if (c.bias) {
      for (const auto& p : kProjections) ids.push_back(p.bias);
    }
    return ids;
  }
  std::vector<TensorId> outputs() const override {
    return {TensorId::qProj, TensorId::kProj, TensorId::vProj};
  }

  StepCost cost(const AttentionConfig& c) const override {
    StepCost total;
    for (const auto& p : kProjections) {
      const Shape out = shapeOf(p.result, c);
      const Index width = shapeOf(sourceOf(p, c), c).back();
      total.flops += linearFlops(out, width, c.bias);
      total.bytes += elementCount(out) * 4;
    }
    return total;
  }

  bool settingsChanged(const Document& before, const Document& after) const override {
    return before.config.bias != after.config.bias ||
           before.config.crossAttention() != after.config.crossAttention();
  }

  void forward(Trace& trace, const Changes& changed, const Execution& execution) const override {
    const AttentionConfig& c = trace.config();
    for (const auto& p : kProjections) {
      if (execution.stop()) return;
      const TensorId source = sourceOf(p, c);
      const bool stands = !changed.settings && !changed[source] && !changed[p.weight] &&
                          !(c.bias && changed[p.bias]) && !trace.tensor(p.result).empty();
      if (stands) continue;
      trace.put(p.result, linear(trace.tensor(source), trace.tensor(p.weight),
                                 c.bias ? trace.tensor(p.bias) : Tensor{}, execution));
    }
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    for (const auto& p : kProjections) {
      if (p.result != cell.tensor) continue;
      return explainLinear(trace, cell, sourceOf(p, trace.config()), p.weight, p.bias);
    }
    return {};
  }
};

}  // namespace

const Step& projectStep() {
  static const Project step;
  return step;
}

}  // namespace headscope
