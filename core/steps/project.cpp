// Step 1, project: Q = X W_Qᵀ + b_Q, K and V likewise (from X, or from the memory in
// cross-attention). (B,T,D) · (D,D) → (B,T,D); K and V: (B,M,D_kv).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

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

const Projection& projectionTo(TensorId result) {
  return *std::find_if(std::begin(kProjections), std::end(kProjections),
                       [=](const Projection& p) { return p.result == result; });
}

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

  Change affected(TensorId output, const Transition& t) const override {
    const AttentionConfig& a = t.before.config;
    const AttentionConfig& b = t.now.config;
    if (a.bias != b.bias || a.crossAttention() != b.crossAttention()) return Change::all();
    const Projection& p = projectionTo(output);
    return affectedByLinear(shapeOf(output, b), t.of(sourceOf(p, b)), t.of(p.weight),
                            b.bias ? t.of(p.bias) : Change::none());
  }

  Tensor memory(TensorId output, const AttentionConfig& c) const override {
    return Tensor::uninitialised(shapeOf(output, c));
  }

  bool compute(Trace& trace, TensorId output, const Box& box) const override {
    const Projection& p = projectionTo(output);
    return computeLinear(trace, {sourceOf(p, trace.config()), p.weight, p.bias, output}, box);
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    const Projection& p = projectionTo(cell.tensor);
    return explainLinear(trace, cell, sourceOf(p, trace.config()), p.weight, p.bias);
  }
};

}  // namespace

const Step& projectStep() {
  static const Project step;
  return step;
}

}  // namespace headscope
