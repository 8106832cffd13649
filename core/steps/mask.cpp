// Step 5, mask: −∞ where a key is not allowed. (B,H,T,M), not stored: see Trace::tile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "core/steps/score_tiles.h"
#include "core/steps/steps.h"
#include "core/steps/terms.h"

namespace headscope {
namespace {

/// "causal, window 4"; "none" without a rule.
std::string rulesOf(const Mask& mask) {
  std::vector<std::string> rules;
  if (mask.causal) rules.emplace_back("causal");
  if (mask.window > 0) rules.push_back(fmt::format("window {}", mask.window));
  if (!mask.lengths.empty()) rules.emplace_back("padding");
  if (mask.painted != nullptr) rules.emplace_back("painted");
  return rules.empty() ? "none" : fmt::format("{}", fmt::join(rules, ", "));
}

struct Rows {
  Index row, rows;
};

/// The queries that may attend to other keys than before, as runs.
std::vector<Rows> rowsOtherwiseMasked(const Mask& before, const Mask& now, Index item,
                                      const AttentionConfig& c) {
  std::vector<Rows> runs;
  if (before == now) return runs;
  for (Index row = 0; row < c.seqLen; ++row) {
    if (allowedKeys(before, item, row, c.keys()) == allowedKeys(now, item, row, c.keys())) continue;
    if (!runs.empty() && runs.back().row + runs.back().rows == row) {
      ++runs.back().rows;
    } else {
      runs.push_back({row, 1});
    }
  }
  return runs;
}

class MaskStep final : public Step {
 public:
  StepId id() const override { return StepId::mask; }

  StepText text(const AttentionConfig& c) const override {
    return {"mask",
            "Mask",
            c.mistakes.zeroForMasked ? "a forbidden key gets 0, which is a weight all the same"
                                     : "a forbidden key gets −∞, hence no weight",
            rulesOf(c.mask),
            c.mask.none() ? "" : " + mask",
            c.mask.none() ? "masked_scores = scores"
                          : fmt::format("masked_scores = scores.masked_fill(~allowed, {})",
                                        c.mistakes.zeroForMasked ? "0" : "float('-inf')")};
  }

  std::vector<TensorId> inputs(const AttentionConfig&) const override { return {TensorId::scores}; }
  std::vector<TensorId> outputs() const override { return {TensorId::maskedScores}; }

  StepCost cost(const AttentionConfig& c) const override {
    return {0, elementCount(shapeOf(TensorId::maskedScores, c)) * 4};
  }

  /// Handed out by tile, nothing to keep: this is for the steps to come.
  Change affected(TensorId, const Transition& t) const override {
    const AttentionConfig& a = t.before.config;
    const AttentionConfig& b = t.now.config;
    if (a.mistakes.zeroForMasked != b.mistakes.zeroForMasked) return Change::all();
    Change masked = t.of(TensorId::scores);
    for (Index item = 0; item < b.batch; ++item) {
      for (const auto& [row, rows] : rowsOtherwiseMasked(a.mask, b.mask, item, b)) {
        for (Index head = 0; head < b.numHeads; ++head) {
          masked.add(Box{item, head, row, rows, 0, b.keys()});
        }
      }
    }
    return masked;
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    const std::string reason = whyForbidden(trace.config().mask, cell.item, cell.row, cell.col);
    CellRef source = cell;
    source.tensor = TensorId::scores;
    Explanation e =
        startExplanation(trace, cell,
                         reason.empty()                          ? "allowed: the score stays"
                         : trace.config().mistakes.zeroForMasked ? "0 in place of −∞: " + reason
                                                                 : "−∞: " + reason);
    e.terms.push_back(sourceTerm(trace, source));
    sumTerms(e);
    if (!reason.empty()) e.sum = e.value;
    return e;
  }
};

}  // namespace

void maskScores(std::span<float> scores, const Document& document, const RowPart& part) {
  const AttentionConfig& c = document.config;
  const AllowedKeys allowed = allowedKeys(c.mask, part.item, part.query, c.keys());
  const float forbidden = c.mistakes.zeroForMasked ? 0.0F : -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!allowed(part.firstKey + static_cast<Index>(i))) scores[i] = forbidden;
  }
}

const Step& maskStep() {
  static const MaskStep step;
  return step;
}

}  // namespace headscope
