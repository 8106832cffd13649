// Step 1, project: Q = X W_Qᵀ + b_Q, K and V likewise (from X, or from the memory in
// cross-attention). (B,T,D) · (H·d_k,D)ᵀ → (B,T,H·d_k); K and V: (B,M,H_kv·d_k).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/gradients.h"
#include "core/attention/steps/linear.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

constexpr LinearLayer kQueries{TensorId::x, TensorId::wQ, TensorId::bQ, TensorId::qProj};
constexpr LinearLayer kKeys{TensorId::x, TensorId::wK, TensorId::bK, TensorId::kProj};
constexpr LinearLayer kValues{TensorId::x, TensorId::wV, TensorId::bV, TensorId::vProj};

/// The linear layers of Q, K and V. In cross-attention, keys and values come from the memory.
std::vector<LinearLayer> projections(const AttentionConfig& c) {
  std::vector<LinearLayer> layers{kQueries, kKeys, kValues};
  if (c.crossAttention()) layers[1].x = layers[2].x = TensorId::memory;
  return layers;
}

LinearLayer projectionTo(TensorId result, const AttentionConfig& c) {
  const std::vector<LinearLayer> layers = projections(c);
  return *std::find_if(layers.begin(), layers.end(),
                       [=](const LinearLayer& layer) { return layer.y == result; });
}

class Project final : public Step {
 public:
  StepId id() const override { return StepId::project; }

  StepText text(const AttentionConfig& c) const override {
    const char* bias = c.switches->bias ? " + b" : "";
    std::vector<std::string> lines;
    for (const LinearLayer& p : projections(c)) {
      lines.push_back(
          fmt::format("{} = {} @ {}.T", info(p.y).name, info(p.x).name, info(p.weight).name));
      if (c.switches->bias) lines.back() += fmt::format(" + {}", info(p.bias).name);
    }
    if (c.crossAttention()) {
      return {"project",
              tr("Project"),
              tr("tokens become queries, the memory's become keys and values"),
              trFormat("X W^Q, memory W^{{K,V}}{}", bias),
              trFormat("Q = X W{0}; K, V = memory W{0}", bias),
              std::move(lines)};
    }
    const std::string formula = fmt::format("Q, K, V = X W{}", bias);
    return {"project", tr("Project"), tr("every token becomes a query, a key and a value"),
            formula,   formula,       std::move(lines)};
  }

  std::vector<TensorId> inputs(const AttentionConfig& c) const override {
    const std::vector<LinearLayer> all = projections(c);
    std::vector<TensorId> ids{TensorId::x};
    if (c.crossAttention()) ids.push_back(TensorId::memory);
    for (const LinearLayer& p : all) ids.push_back(p.weight);
    if (c.switches->bias) {
      for (const LinearLayer& p : all) ids.push_back(p.bias);
    }
    return ids;
  }
  std::vector<TensorId> operands(TensorId output, const AttentionConfig& c) const override {
    return linearOperands(projectionTo(output, c), c);
  }
  std::vector<TensorId> outputs() const override {
    return {TensorId::qProj, TensorId::kProj, TensorId::vProj};
  }

  StepCost cost(const AttentionConfig& c) const override {
    StepCost total;
    for (const LinearLayer& p : projections(c)) {
      const Shape out = shapeOf(p.y, c);
      total.flops += linearFlops(out, shapeOf(p.x, c).back(), c.switches->bias);
      total.bytes += elementCount(out) * 4;
    }
    return total;
  }

  std::vector<std::string> beyondModule(const AttentionConfig& c) const override {
    std::vector<std::string> reasons;
    if (c.numKvHeads != c.numHeads) {
      reasons.push_back(
          trFormat("{} query heads share {} key/value heads", c.numHeads, c.numKvHeads));
    }
    if (!c.dKDivides()) {
      reasons.push_back(trFormat("d_k is {} by itself, not D / H", c.dK()));
    }
    return reasons;
  }

  StepWork work() const override { return StepWork::linear; }
  std::vector<LinearLayer> layers(const AttentionConfig& c) const override {
    return projections(c);
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    return explainLinear(tensors, cell, projectionTo(cell.tensor, tensors.config()));
  }

  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const std::vector<LinearLayer> layers = projections(gradients.config());
    linearGradients(gradients, layers, execution);
  }
  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const std::vector<LinearLayer> layers = projections(gradients.config());
    return explainLinearGradient(gradients, cell, layers);
  }
};

}  // namespace

const Step& projectStep() {
  static const Project step;
  return step;
}

}  // namespace headscope
