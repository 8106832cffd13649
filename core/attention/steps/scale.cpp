// Step 4, scale: × 1/√d_k (can be switched off), ÷ temperature; keeps the scores' variance near 1
// whatever d_k (Vaswani et al. 2017, section 3.2.1). (B,H,T,M), not stored: see
// AttentionTensors::tile.
#include <fmt/format.h>

#include <algorithm>

#include "core/attention/steps/score_rows.h"
#include "core/attention/steps/terms.h"

namespace headscope {
namespace {

/// The factor in words, "1/√64 / 2"; "1" where nothing is scaled.
std::string factorName(const AttentionConfig& c) {
  std::string name = c.scale ? fmt::format("1/√{}", c.dK()) : "1";
  if (c.temperature != 1.0) name += fmt::format(" / {:g}", c.temperature);
  return name;
}

class Scale final : public Step {
 public:
  StepId id() const override { return StepId::scale; }

  StepText text(const AttentionConfig& c) const override {
    std::string formula = c.scale ? fmt::format("S / √{}", c.dK()) : "off: S as it is";
    std::string flow = c.scale ? fmt::format("/√{}", c.dK()) : "";
    std::string line = c.scale ? fmt::format("scores = raw_scores / math.sqrt({})", c.dK())
                               : "scores = raw_scores";
    if (c.temperature != 1.0) {
      flow = c.scale ? fmt::format("/(√{}·{:.3g})", c.dK(), c.temperature)
                     : fmt::format("/{:.3g}", c.temperature);
      formula = fmt::format("{} / {:g}", c.scale ? formula : "S", c.temperature);
      line += fmt::format(" / {}", c.temperature);  // all digits, since this line is run
    }
    return {"scale",
            "Scale",
            "keeps the scores' spread independent of d_k",
            std::move(formula),
            std::move(flow),
            std::move(line)};
  }

  std::vector<TensorId> operands(TensorId, const AttentionConfig&) const override {
    return {TensorId::rawScores};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::scores}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::scores, c));
    return {cells, cells * 4};
  }

  bool sameSettings(const AttentionConfig& a, const AttentionConfig& b) const override {
    return a.scoreMultiplier() == b.scoreMultiplier();
  }

  StepWork work() const override { return StepWork::rows; }
  Tensor memory(TensorId, const AttentionConfig&, const BlockStorePtr&) const override {
    return {};  // handed out by tile
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    CellRef source = cell;
    source.tensor = TensorId::rawScores;
    Explanation e = startExplanation(
        tensors, cell,
        fmt::format("scores[b, h, i, j] = raw_scores[b, h, i, j] · {}", factorName(c)));
    e.terms.push_back(scaledTerm(tensors, source, factorName(c), c.scoreMultiplier()));
    sumTerms(e);
    return e;
  }

  /// Covers scale, mask and softmax: their gradients, as `tile` computes them, give the stored
  /// grad.raw_scores.
  void backward(Gradients& gradients, const ExecutionContext& execution) const override {
    const AttentionConfig& c = gradients.config();
    const Pins& pins = gradients.values().pins();
    const float multiplier = c.scoreMultiplier();
    Tensor d = Tensor::uninitialised(shapeOf(TensorId::rawScores, c), execution.memory);
    overRows(d, execution, [&](const Box& box) {
      const MatrixView cells = d.mutableMatrixOf(box);
      gradients.tile(TensorId::scores, box.item, box.head, box.row, box.rows, 0, box.cols,
                     cells.data);
      for (const Pin& pin : pins.of(TensorId::scores, box.item, box.head)) {
        const Index row = pin.cell.row - box.row;
        if (row >= 0 && row < box.rows) cells(row, pin.cell.col) = 0.0F;
      }
      for (float& value : std::span(cells.data, static_cast<std::size_t>(box.rows * box.cols))) {
        value *= multiplier;
      }
    });
    gradients.put(TensorId::rawScores, std::move(d));
  }

  Explanation explainGradient(const Gradients& gradients, const CellRef& cell) const override {
    const AttentionConfig& c = gradients.config();
    CellRef source = cell;
    source.tensor = TensorId::scores;
    source.gradient = false;
    const bool pinned = gradients.values().pins().at(source).has_value();
    Explanation e =
        startExplanation(gradients, cell,
                         fmt::format("grad.raw_scores[b, h, i, j] = grad.scores[b, h, i, j] · {}{}",
                                     factorName(c), pinned ? "; 0 here: the score is pinned" : ""));
    if (!pinned) {
      e.terms.push_back(
          scaledTerm(gradients, gradientOf(source), factorName(c), c.scoreMultiplier()));
    }
    sumTerms(e);
    return e;
  }
};

}  // namespace

void scaleScores(std::span<const float> raw, std::span<float> scores, const AttentionConfig& config,
                 const Pins& pins, const RowPart& part) {
  const auto count = static_cast<Index>(scores.size());
  const float multiplier = config.scoreMultiplier();
  std::transform(raw.begin(), raw.end(), scores.begin(),
                 [multiplier](float score) { return score * multiplier; });
  for (const Pin& pin : pins.of(TensorId::scores, part.item, part.head, part.query)) {
    const Index at = pin.cell.col - part.firstKey;
    if (at >= 0 && at < count) scores[static_cast<std::size_t>(at)] = pin.value;
  }
}

const Step& scaleStep() {
  static const Scale step;
  return step;
}

}  // namespace headscope
