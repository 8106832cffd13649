// Step 5, mask: −∞ where a key is not allowed. First the bias of the pair, or of its distance
// (pair_bias.h), is added to each score, and with ALiBi (alibi.h) the head's slope times the
// distance is subtracted. (B,H,T,M), not stored: see AttentionTensors::tile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/alibi.h"
#include "core/attention/config.h"
#include "core/attention/steps/score_rows.h"
#include "core/attention/steps/terms.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

/// "causal, window 4"; "none" without a rule.
std::string rulesOf(const Mask& mask) {
  std::vector<std::string> rules;
  if (mask.causal) rules.emplace_back(tr("causal"));
  if (mask.window > 0) rules.push_back(trFormat("window {}", mask.window));
  if (!mask.lengths.empty()) rules.emplace_back(tr("padding"));
  if (mask.painted != nullptr) rules.emplace_back(tr("painted"));
  return rules.empty() ? std::string(tr("none")) : fmt::format("{}", fmt::join(rules, ", "));
}

bool biases(const AttentionConfig& c) { return c.switches->alibi || c.pairBias.on(); }

const char* maskTitle(const AttentionConfig& c) {
  if (!biases(c)) return tr("Mask");
  return c.mask.none() ? tr("Bias") : tr("Bias and mask");
}

std::string_view maskSentence(const AttentionConfig& c) {
  const bool zero = c.mistakes.zeroForMasked;
  if (!biases(c)) {
    return zero ? tr("a forbidden key gets 0, and so still a weight")
                : tr("a forbidden key gets −∞, hence no weight");
  }
  const std::size_t ending = c.mask.none() ? 0 : zero ? 1 : 2;
  constexpr std::array<std::string_view, 3> kOfDistances{
      "distant keys score less (ALiBi)", "distant keys score less (ALiBi); a forbidden key gets 0",
      "distant keys score less (ALiBi); a forbidden key gets −∞"};
  constexpr std::array<std::string_view, 3> kOfPairs{
      "each pair of query and key adds its bias", "each pair adds its bias; a forbidden key gets 0",
      "each pair adds its bias; a forbidden key gets −∞"};
  constexpr std::array<std::string_view, 3> kOfBuckets{
      "each distance adds its bias", "each distance adds its bias; a forbidden key gets 0",
      "each distance adds its bias; a forbidden key gets −∞"};
  return (c.switches->alibi ? kOfDistances : c.pairBias.ofPairs() ? kOfPairs : kOfBuckets)[ending];
}

/// The terms added to the scores, in the notation of a formula or of PyTorch: " + b − m·d".
std::string added(const AttentionConfig& c, const char* bias, const char* penalty) {
  return fmt::format("{}{}", c.pairBias.on() ? bias : "", c.switches->alibi ? penalty : "");
}

class MaskStep final : public Step {
 public:
  StepId id() const override { return StepId::mask; }

  StepText text(const AttentionConfig& c) const override {
    const bool zero = c.mistakes.zeroForMasked;
    const std::string sum = "scores" + added(c, " + pair_bias", " - slope * distance");
    std::string line = "masked_scores = ";
    line += biases(c) && !c.mask.none() ? "(" + sum + ")" : sum;
    if (!c.mask.none()) {
      line += fmt::format(".masked_fill(~allowed, {})", zero ? "0" : "float('-inf')");
    }
    return {"mask",
            maskTitle(c),
            maskSentence(c),
            !biases(c)      ? rulesOf(c.mask)
            : c.mask.none() ? "S" + added(c, " + b", " − m·d")
                            : fmt::format("S{}, {}", added(c, " + b", " − m·d"), rulesOf(c.mask)),
            added(c, " + bias", " + ALiBi") + (c.mask.none() ? "" : " + mask"),
            {std::move(line)}};
  }

  std::vector<TensorId> operands(TensorId, const AttentionConfig& c) const override {
    if (!c.pairBias.on()) return {TensorId::scores};
    return {TensorId::scores, TensorId::pairBias};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::maskedScores}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::maskedScores, c));
    return {(c.switches->alibi ? cells * 2 : 0) + (c.pairBias.on() ? cells : 0), cells * 4};
  }

  bool sameSettings(const AttentionConfig& a, const AttentionConfig& b) const override {
    return a.mask == b.mask && a.pairBias == b.pairBias &&
           a.mistakes.zeroForMasked == b.mistakes.zeroForMasked;
  }

  std::string sign(const AttentionConfig& c, Index head) const override {
    const std::string penalty =
        c.switches->alibi ? fmt::format("−{:.3g}·d", alibiSlope(head, c.numHeads)) : "";
    // the numbers stand next to their sign
    return added(c, c.switches->alibi ? "+b" : "+", penalty.c_str());
  }

  StepWork work() const override { return StepWork::rows; }
  Tensor memory(TensorId, const AttentionConfig&, const BlockStorePtr&) const override {
    return {};  // handed out by tile
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    const std::string reason = whyForbidden(c.mask, cell.item, cell.row, cell.col);
    CellRef source = cell;
    source.tensor = TensorId::scores;
    Explanation e = startExplanation(
        tensors, cell,
        !reason.empty()
            ? (c.mistakes.zeroForMasked ? tr("0 in place of −∞: ") + reason : "−∞: " + reason)
        : biases(c) ? "allowed:" + added(c,
                                         c.pairBias.ofPairs() ? tr(" plus the pair's bias")
                                                              : tr(" plus the distance's bias"),
                                         tr(" minus slope × distance"))
                    : tr("allowed: the score stays"));
    e.terms.push_back(sourceTerm(tensors, source));
    if (c.pairBias.on() && reason.empty()) {
      const auto bias =
          static_cast<double>(c.pairBias.at(cell.head, c.firstQuery + cell.row, cell.col));
      const CellRef own = biasOf(cell);
      e.terms.push_back({toString(own), "1", bias, 1.0, bias, {own}});
    }
    if (c.switches->alibi && reason.empty()) {
      const auto slope = static_cast<double>(alibiSlope(cell.head, c.numHeads));
      const auto distance = static_cast<double>(std::abs(c.firstQuery + cell.row - cell.col));
      e.terms.push_back({fmt::format("−slope[{}]", cell.head),
                         "|i − j|",
                         -slope,
                         distance,
                         -slope * distance,
                         {}});
    }
    sumTerms(e);
    if (!reason.empty()) e.sum = e.value;
    return e;
  }

  /// The gradient of scores is handed out by tile; a bias has the sum of those of its scores, of
  /// one pair in all items or of all pairs at its distances.
  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const AttentionConfig& c = gradients.config();
    if (!c.pairBias.on() || gradients.skipsGradient(TensorId::pairBias)) return;
    Tensor sum = Tensor::zeros(gradients.values().tensor(TensorId::pairBias).shape());
    const Index rows = sum.dim(1);  // 1 of distances
    parallelFor(c.numHeads * rows, execution, [&](Index piece) {
      const Index head = piece / rows, row = piece % rows;
      const std::span<float> to = sum.mutableMatrix({head}).row(row);
      if (c.pairBias.ofPairs()) return addRow(gradients, head, row, to);
      std::vector<double> total(to.size());
      for (Index query = 0; query < c.seqLen; ++query) {
        std::vector<float> part(static_cast<std::size_t>(c.keys()));
        addRow(gradients, head, query, part);
        for (Index key = 0; key < c.keys(); ++key) {
          const Index bucket = c.pairBias.bucketOf(key - c.firstQuery - query);
          total[static_cast<std::size_t>(bucket)] +=
              static_cast<double>(part[static_cast<std::size_t>(key)]);
        }
      }
      std::ranges::transform(total, to.begin(), [](double x) { return static_cast<float>(x); });
    });
    gradients.put(TensorId::pairBias, std::move(sum));
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    if (cell.tensor == TensorId::pairBias) return explainBiasGradient(gradients, cell);
    const std::string reason = whyForbidden(gradients.config().mask, cell.item, cell.row, cell.col);
    CellRef source = cell;
    source.tensor = TensorId::maskedScores;
    Explanation e = startExplanation(
        gradients, cell,
        reason.empty() ? tr("allowed: the gradient passes unchanged")
                       : tr("0: the value in the score's place does not depend on it; ") + reason);
    if (reason.empty()) e.terms.push_back(sourceTerm(gradients, gradientOf(source)));
    sumTerms(e);
    return e;
  }

 private:
  static CellRef biasOf(CellRef score) {
    return {TensorId::pairBias, -1, score.head, score.row, score.col};
  }

  /// Adds the gradients of a row of scores in all items.
  static void addRow(const Gradients& gradients, Index head, Index row, std::span<float> to) {
    const AttentionConfig& c = gradients.config();
    std::vector<float> part(to.size());
    for (Index item = 0; item < c.batch; ++item) {
      gradients.tile(TensorId::scores, item, head, row, 1, 0, c.keys(), part.data());
      std::ranges::transform(to, part, to.begin(), std::plus<>());
    }
  }

  /// Adds a term for each query of an item: the gradients of its scores at the cell's distances.
  static void addRowsOfDistance(Explanation& e, const Gradients& gradients, Index item) {
    const AttentionConfig& c = gradients.config();
    const auto bucketOf = [&](Index row, Index col) {
      return c.pairBias.bucketOf(col - c.firstQuery - row);
    };
    const Index bucket = bucketOf(e.cell.row, e.cell.col);
    std::vector<float> row(static_cast<std::size_t>(c.keys()));
    for (Index query = 0; query < c.seqLen; ++query) {
      gradients.tile(TensorId::scores, item, e.cell.head, query, 1, 0, c.keys(), row.data());
      double sum = 0.0;
      std::vector<CellRef> cells;
      for (Index key = 0; key < c.keys(); ++key) {
        if (bucketOf(query, key) != bucket) continue;
        if (!whyForbidden(c.mask, item, query, key).empty()) continue;
        sum += static_cast<double>(row[static_cast<std::size_t>(key)]);
        cells.push_back(gradientOf({TensorId::maskedScores, item, e.cell.head, query, key}));
      }
      if (cells.empty()) continue;
      const std::string left =
          cells.size() == 1
              ? toString(cells.front())
              : fmt::format("Σ {} to {}", toString(cells.front()), toString(cells.back()));
      e.terms.push_back({left, "1", sum, 1.0, sum, std::move(cells)});
    }
  }

  static Explanation explainBiasGradient(const Gradients& gradients, const CellRef& cell) {
    const AttentionConfig& c = gradients.config();
    Explanation e = startExplanation(
        gradients, cell,
        c.pairBias.ofPairs()
            ? "grad.pair_bias[h, i, j] = Σ_b grad.masked_scores[b, h, i, j], where the key is "
              "allowed"
            : "Σ grad.masked_scores over the allowed pairs that share this bias");
    for (Index item = 0; item < c.batch; ++item) {
      if (!c.pairBias.ofPairs()) {
        addRowsOfDistance(e, gradients, item);
      } else if (whyForbidden(c.mask, item, cell.row, cell.col).empty()) {
        const CellRef score{TensorId::maskedScores, item, cell.head, cell.row, cell.col};
        e.terms.push_back(sourceTerm(gradients, gradientOf(score)));
      }
    }
    sumTerms(e);
    return e;
  }
};

}  // namespace

bool onlyForbids(const AttentionConfig& c, const Pins& pins) {
  return !biases(c) && !c.mistakes.zeroForMasked && pins.of(TensorId::maskedScores).empty();
}

double scoreBias(const AttentionConfig& c, const RowPart& part) {
  const Index query = c.firstQuery + part.query;
  double bias = 0.0;
  if (c.pairBias.on()) {
    bias += static_cast<double>(c.pairBias.at(part.head, query, part.firstKey));
  }
  if (c.switches->alibi) {
    const auto apart = static_cast<std::int32_t>(part.firstKey - query);
    bias -= static_cast<double>(alibiPenalty(alibiSlope(part.head, c.numHeads), apart));
  }
  return bias;
}

void addScoreBias(std::span<float> scores, const AttentionConfig& c, const RowPart& part) {
  const Index query = c.firstQuery + part.query;
  if (c.pairBias.on()) c.pairBias.addTo(scores, part.head, query, part.firstKey);
  if (c.switches->alibi)
    subtractAlibi(scores, alibiSlope(part.head, c.numHeads), query, part.firstKey);
}

void maskScores(std::span<float> scores, const AttentionConfig& c, const RowPart& part) {
  addScoreBias(scores, c, part);
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
