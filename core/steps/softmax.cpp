// Step 6, softmax: over the keys, row by row: exp(s_j − max) / Σ exp(s − max). (B,H,T,M). A row
// without an allowed key has no softmax: its weights are 0.
//
// Scale, mask and softmax run as one sweep over each row while it is in cache.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/steps/over_heads.h"
#include "core/steps/score_tiles.h"
#include "core/steps/steps.h"
#include "core/steps/terms.h"

namespace headscope {
namespace {

using Row = Eigen::Map<Eigen::ArrayXf>;

/// Below this from the row's maximum an exponential counts as 0 (e⁻⁸⁰ ≈ 2e-35).
constexpr float kUnderflow = -80.0F;

/// The largest allowed score of a row; the row has at least one allowed key.
float rowMaximum(std::span<const float> scores, const AllowedKeys& allowed) {
  float maximum = -std::numeric_limits<float>::infinity();
  for (Index j = allowed.begin; j < allowed.end; ++j) {
    if (allowed(j)) maximum = std::max(maximum, scores[static_cast<std::size_t>(j)]);
  }
  return maximum;
}

/// Scores to weights, in place.
void softmaxRow(std::span<float> row, const AllowedKeys& allowed) {
  const auto keys = static_cast<Index>(row.size());
  Row whole(row.data(), keys);
  if (allowed.count() == 0) {
    whole.setZero();
    return;
  }
  const float maximum = rowMaximum(row, allowed);
  whole.head(allowed.begin).setZero();
  whole.tail(keys - allowed.end).setZero();
  Row part(row.data() + allowed.begin, allowed.end - allowed.begin);
  part -= maximum;
  // exp never reaches 0 in Eigen's packet lanes, so tiny ones are set; min keeps forbidden scores,
  // which may lie above the maximum, from overflowing before they are cleared
  part = (part < kUnderflow).select(0.0F, part.min(0.0F).exp());
  if (allowed.painted != nullptr) {
    for (Index j = allowed.begin; j < allowed.end; ++j) {
      if (!allowed(j)) row[static_cast<std::size_t>(j)] = 0.0F;
    }
  }
  part /= part.sum();
}

/// True where some row may have no key left, as a softmax of −∞ alone is NaN in PyTorch. A painted
/// mask is not searched.
bool mayMaskFully(const AttentionConfig& c) {
  if (c.mask.painted != nullptr) return true;
  const auto items = static_cast<Index>(std::max<std::size_t>(1, c.mask.lengths.size()));
  for (Index item = 0; item < items; ++item) {  // a window leaves the last query the fewest keys
    if (allowedKeys(c.mask, item, c.seqLen - 1, c.keys()).count() == 0) return true;
  }
  return false;
}

class Softmax final : public Step {
 public:
  StepId id() const override { return StepId::softmax; }

  StepText text(const AttentionConfig& c) const override {
    return {"softmax",
            "Softmax",
            "scores become weights: each row sums to 1",
            "A = softmax(S)",
            "softmax",
            fmt::format("weights = masked_scores.softmax(dim=-1){}",
                        mayMaskFully(c) ? ".nan_to_num(0)" : "")};
  }

  std::vector<TensorId> inputs(const AttentionConfig&) const override {
    return {TensorId::maskedScores};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::weights}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::weights, c));
    return {cells * 4, cells * 4};
  }

  bool settingsChanged(const AttentionConfig&, const AttentionConfig&) const override {
    return false;
  }

  void forward(Trace& trace, const Changes&, const Execution& execution) const override {
    const AttentionConfig& c = trace.config();
    Tensor weights = Tensor::uninitialised(shapeOf(TensorId::weights, c));
    overHeads(c, execution, [&](Index item, Index head) {
      const ConstMatrixView raw = trace.tensor(TensorId::rawScores).matrix({item, head});
      const MatrixView out = weights.mutableMatrix({item, head});
      for (Index i = 0; i < out.rows; ++i) {
        const std::span<float> row = out.row(i);
        std::copy_n(raw.row(i).data(), row.size(), row.data());
        scaleScores(row, c);
        softmaxRow(row, allowedKeys(c.mask, item, i, out.cols));
      }
    });
    trace.put(TensorId::weights, std::move(weights));
  }

  Explanation explain(const Trace& trace, const CellRef& cell) const override {
    const AttentionConfig& c = trace.config();
    const AllowedKeys allowed = allowedKeys(c.mask, cell.item, cell.row, c.keys());
    Explanation e = startExplanation(trace, cell, {});
    if (allowed.count() == 0) {
      e.rule = "every key of this row is masked: no softmax, all weights 0";
      return e;
    }
    std::vector<float> scores(static_cast<std::size_t>(c.keys()));
    trace.tile(TensorId::scores, cell.item, cell.head, cell.row, 1, 0, c.keys(), scores.data());
    const double maximum = rowMaximum(scores, allowed);
    e.rule = allowed(cell.col)
                 ? "weights[b, h, i, j] = exp(s_j − max) / Σ exp(s − max) over the allowed keys"
                 : "weight 0: " + whyForbidden(c.mask, cell.item, cell.row, cell.col);
    for (Index j = allowed.begin; j < allowed.end; ++j) {
      if (!allowed(j)) continue;
      const CellRef source{TensorId::maskedScores, cell.item, cell.head, cell.row, j};
      const double score = scores[static_cast<std::size_t>(j)];
      e.terms.push_back(
          {toString(source), "max", score, maximum, std::exp(score - maximum), {source}});
    }
    sumTerms(e);
    return e;
  }
};

}  // namespace

const Step& softmaxStep() {
  static const Softmax step;
  return step;
}

}  // namespace headscope
