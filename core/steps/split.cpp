// Step 2, split: reshape to (B,T,H,d_k), then transpose axes 1 and 2: (B,H,T,d_k). A strided view,
// no copy: columns i·d_k … (i+1)·d_k − 1 belong to head i.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/steps/steps.h"
#include "core/steps/terms.h"

namespace headscope {
namespace {

struct Cut {
  TensorId from, to;
};
constexpr Cut kCuts[] = {
    {TensorId::qProj, TensorId::q}, {TensorId::kProj, TensorId::k}, {TensorId::vProj, TensorId::v}};

Index headsOf(const Cut& cut, const AttentionConfig& c) {
  return cut.to == TensorId::q ? c.numHeads : c.numKvHeads;
}

class Split final : public Step {
 public:
  StepId id() const override { return StepId::split; }

  StepText text(const AttentionConfig& c) const override {
    std::vector<std::string> lines;
    for (const Cut& cut : kCuts) {
      const bool ofMemory = c.crossAttention() && cut.to != TensorId::q;
      lines.push_back(fmt::format("{} = {}.view(B, {}, {}, {}).transpose(1, 2)", info(cut.to).name,
                                  info(cut.from).name, ofMemory ? "M" : "T", headsOf(cut, c),
                                  c.dK()));
    }
    return {"split",
            "Split heads",
            "each head gets its own columns",
            c.headsPerGroup() == 1
                ? fmt::format("{} = {} × {}", c.dModel, c.numHeads, c.dK())
                : fmt::format("{0} × {2}; k, v: {1} × {2}", c.numHeads, c.numKvHeads, c.dK()),
            "q, k, v of each head",
            fmt::format("{}", fmt::join(lines, "; "))};
  }

  std::vector<TensorId> inputs(const AttentionConfig&) const override {
    return {TensorId::qProj, TensorId::kProj, TensorId::vProj};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::q, TensorId::k, TensorId::v}; }
  StepCost cost(const AttentionConfig&) const override { return {}; }

  bool settingsChanged(const AttentionConfig& before, const AttentionConfig& after) const override {
    return before.numHeads != after.numHeads || before.numKvHeads != after.numKvHeads;
  }

  void forward(Trace& trace, const Changes& changed, const Execution&) const override {
    const AttentionConfig& c = trace.config();
    for (const Cut& cut : kCuts) {
      if (!changed.settings && !changed[cut.from] && !trace.tensor(cut.to).empty()) continue;
      trace.put(cut.to, trace.tensor(cut.from).split(2, headsOf(cut, c)).transposed(1, 2));
    }
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    const Index dK = trace.config().dK();
    for (const Cut& cut : kCuts) {
      if (cut.to != cell.tensor) continue;
      const auto from = info(cut.from).name;
      Explanation e = startExplanation(
          trace, cell,
          fmt::format(
              "{}[b, h, t, j] = {}[b, t, h·{} + j]: column {} of {} is column {} of head {}",
              info(cut.to).name, from, dK, cell.head * dK + cell.col, from, cell.col, cell.head));
      e.terms.push_back(
          sourceTerm(trace, {cut.from, cell.item, -1, cell.row, cell.head * dK + cell.col}));
      sumTerms(e);
      return e;
    }
    return {};
  }
};

}  // namespace

const Step& splitStep() {
  static const Split step;
  return step;
}

}  // namespace headscope
