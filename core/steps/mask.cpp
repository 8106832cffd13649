// Step 5, mask: −∞ where a key is not allowed. (B,H,T,M), not stored: see AttentionTensors::tile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "core/steps/score_rows.h"
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

  std::vector<TensorId> operands(TensorId, const AttentionConfig&) const override {
    return {TensorId::scores};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::maskedScores}; }

  StepCost cost(const AttentionConfig& c) const override {
    return {0, elementCount(shapeOf(TensorId::maskedScores, c)) * 4};
  }

  bool sameSettings(const AttentionConfig& a, const AttentionConfig& b) const override {
    return a.mask == b.mask && a.mistakes.zeroForMasked == b.mistakes.zeroForMasked;
  }

  StepWork work() const override { return StepWork::rows; }
  Tensor memory(TensorId, const AttentionConfig&, const BlockStorePtr&) const override {
    return {};  // handed out by tile
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const std::string reason = whyForbidden(tensors.config().mask, cell.item, cell.row, cell.col);
    CellRef source = cell;
    source.tensor = TensorId::scores;
    Explanation e =
        startExplanation(tensors, cell,
                         reason.empty()                            ? "allowed: the score stays"
                         : tensors.config().mistakes.zeroForMasked ? "0 in place of −∞: " + reason
                                                                   : "−∞: " + reason);
    e.terms.push_back(sourceTerm(tensors, source));
    sumTerms(e);
    if (!reason.empty()) e.sum = e.value;
    return e;
  }

  void backward(Gradients&, const Execution&) const override {}  // handed out by tile

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const std::string reason = whyForbidden(gradients.config().mask, cell.item, cell.row, cell.col);
    CellRef source = cell;
    source.tensor = TensorId::maskedScores;
    Explanation e = startExplanation(
        gradients, cell,
        reason.empty() ? "allowed: the gradient goes on as it is"
                       : "0: what stands in the score's place does not depend on it; " + reason);
    if (reason.empty()) e.terms.push_back(sourceTerm(gradients, gradientOf(source)));
    sumTerms(e);
    return e;
  }
};

}  // namespace

void maskScores(std::span<float> scores, const AttentionConfig& c, const RowPart& part) {
  const AllowedKeys allowed = allowedKeys(c.mask, part.item, part.query, c.keys());
  const float forbidden = c.mistakes.zeroForMasked ? 0.0F : -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!allowed(part.firstKey + static_cast<Index>(i))) scores[i] = forbidden;
  }
}

void maskGradients(const AttentionConfig& c, const Box& box, const MatrixView& cells) {
  if (c.mask.none()) return;
  for (Index i = 0; i < cells.rows; ++i) {
    const AllowedKeys allowed = allowedKeys(c.mask, box.item, box.row + i, c.keys());
    const auto row = cells.row(i);
    const auto upTo = [&](Index key) {
      return row.begin() + std::clamp<Index>(key - box.col, 0, cells.cols);
    };
    std::fill(row.begin(), upTo(allowed.begin), 0.0F);
    std::fill(upTo(allowed.end), row.end(), 0.0F);
    if (allowed.painted == nullptr) continue;
    for (Index j = 0; j < cells.cols; ++j) {
      if (allowed.painted[box.col + j] == 0) cells(i, j) = 0.0F;
    }
  }
}

const Step& maskStep() {
  static const MaskStep step;
  return step;
}

}  // namespace headscope
