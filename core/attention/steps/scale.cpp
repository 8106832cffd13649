// Step 4, scale: × 1/√d_k (can be switched off), ÷ temperature; keeps the scores' variance near 1
// whatever d_k (Vaswani et al. 2017, section 3.2.1). With a soft cap, cap · tanh(score / cap) keeps
// them within ±cap (Gemma 2, 2024). (B,H,T,M), not stored: see AttentionTensors::tile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/steps/score_rows.h"
#include "core/attention/steps/terms.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

/// The factor in words, "1/√64 / 2"; "1" where nothing is scaled.
std::string factorName(const AttentionConfig& c) {
  std::string name = c.switches->scale ? fmt::format("1/√{}", c.dK()) : "1";
  if (c.switches->temperature != 1.0) name += fmt::format(" / {:g}", c.switches->temperature);
  return name;
}

/// The text around a capped value: "50·tanh(" and " / 50)".
std::string beforeCapped(const AttentionConfig& c) {
  return fmt::format("{:g}·tanh(", c.switches->scoreCap);
}
std::string afterCapped(const AttentionConfig& c) {
  return fmt::format(" / {:g})", c.switches->scoreCap);
}

/// The slope of the cap at a raw score: 1 − tanh²; 1 without a cap.
double capSlope(double raw, const AttentionConfig& c) {
  if (c.switches->scoreCap == 0.0) return 1.0;
  const double share = scaledScore(raw, c) / c.switches->scoreCap;
  return 1.0 - share * share;
}

class Scale final : public Step {
 public:
  StepId id() const override { return StepId::scale; }

  StepText text(const AttentionConfig& c) const override {
    const Switches& s = *c.switches;
    std::string formula = s.scale ? fmt::format("S / √{}", c.dK()) : tr("off: S as it is");
    std::string flow = s.scale ? fmt::format("/√{}", c.dK()) : "";
    std::string line = s.scale ? fmt::format("scores = raw_scores / math.sqrt({})", c.dK())
                               : "scores = raw_scores";
    if (s.temperature != 1.0) {
      flow = s.scale ? fmt::format("/(√{}·{:.3g})", c.dK(), s.temperature)
                     : fmt::format("/{:.3g}", s.temperature);
      formula = fmt::format("{} / {:g}", s.scale ? formula : "S", s.temperature);
      line += fmt::format(" / {}", s.temperature);  // all digits, since this line is run
    }
    if (s.scoreCap != 0.0) {
      flow += trFormat(" capped at {:.3g}", s.scoreCap);
      formula = fmt::format("{}{}{}", beforeCapped(c),
                            s.scale || s.temperature != 1.0 ? formula : "S", afterCapped(c));
      line += fmt::format("; scores = {0} * torch.tanh(scores / {0})", s.scoreCap);
    }
    return {"scale",
            tr("Scale"),
            tr("keeps the scores' spread independent of d_k"),
            std::move(formula),
            std::move(flow),
            {std::move(line)}};
  }

  std::vector<TensorId> operands(TensorId, const AttentionConfig&) const override {
    return {TensorId::rawScores};
  }
  std::vector<TensorId> outputs() const override { return {TensorId::scores}; }

  StepCost cost(const AttentionConfig& c) const override {
    const Index cells = elementCount(shapeOf(TensorId::scores, c));
    return {c.switches->scoreCap == 0.0 ? cells : cells * 4, cells * 4};
  }

  std::string sign(const AttentionConfig& c, Index) const override {
    const std::string factor = fmt::format("× {:.4g}", c.scoreMultiplier());
    return c.switches->scoreCap == 0.0 ? factor
                                       : trFormat("{}, cap {:.3g}", factor, c.switches->scoreCap);
  }
  std::vector<std::string> beyondModule(const AttentionConfig& c) const override {
    const Switches& s = *c.switches;
    std::vector<std::string> reasons;
    if (!s.scale) reasons.emplace_back(tr("the scores are not divided by sqrt(d_k)"));
    if (s.temperature != 1.0) {
      reasons.push_back(trFormat("the temperature is {}", s.temperature));
    }
    if (s.scoreCap != 0.0) reasons.push_back(trFormat("scores are capped at {}", s.scoreCap));
    return reasons;
  }

  StepWork work() const override { return StepWork::rows; }
  Tensor memory(TensorId, const AttentionConfig&, const BlockStorePtr&) const override {
    return {};  // handed out by tile
  }

  Explanation explain(const AttentionTensors& tensors, const CellRef& cell) const override {
    const AttentionConfig& c = tensors.config();
    const bool capped = c.switches->scoreCap != 0.0;
    CellRef source = cell;
    source.tensor = TensorId::rawScores;
    Explanation e = startExplanation(
        tensors, cell,
        fmt::format("scores[b, h, i, j] = {}raw_scores[b, h, i, j] · {}{}",
                    capped ? beforeCapped(c) : "", factorName(c), capped ? afterCapped(c) : ""));
    e.terms.push_back(scaledTerm(tensors, source, factorName(c), c.scoreMultiplier()));
    sumTerms(e);
    if (capped) {
      e.ending = ExplanationForm::function;
      e.before = beforeCapped(c);
      e.after = afterCapped(c);
      e.functionValue = scaledScore(tensors.value(source), c);
    }
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
      if (c.switches->scoreCap == 0.0) return;
      std::vector<float> raw(static_cast<std::size_t>(box.cols));
      for (Index i = 0; i < box.rows; ++i) {
        gradients.values().tile(TensorId::rawScores, box.item, box.head, box.row + i, 1, 0,
                                box.cols, raw.data());
        for (Index j = 0; j < box.cols; ++j) {
          cells(i, j) *= static_cast<float>(capSlope(raw[static_cast<std::size_t>(j)], c));
        }
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
    CellRef raw = cell;
    raw.gradient = false;
    const double slope = capSlope(gradients.values().value(raw), c);
    const std::string factor = c.switches->scoreCap == 0.0
                                   ? factorName(c)
                                   : fmt::format("{} · (1 − tanh²)", factorName(c));
    Explanation e =
        startExplanation(gradients, cell,
                         fmt::format("grad.raw_scores[b, h, i, j] = grad.scores[b, h, i, j] · {}{}",
                                     factor, pinned ? tr("; 0 here: the score is pinned") : ""));
    if (!pinned) {
      e.terms.push_back(
          scaledTerm(gradients, gradientOf(source), factor, c.scoreMultiplier() * slope));
    }
    sumTerms(e);
    return e;
  }
};

}  // namespace

double scaledScore(double raw, const AttentionConfig& c) {
  const double score =
      raw * (1.0 / ((c.switches->scale ? c.rootDk() : 1.0) * c.switches->temperature));
  return c.switches->scoreCap == 0.0
             ? score
             : c.switches->scoreCap * std::tanh(score / c.switches->scoreCap);
}

std::optional<float> onlyMultiplies(const AttentionConfig& c, const Pins& pins) {
  if (!pins.of(TensorId::scores).empty() || c.switches->scoreCap != 0.0) return std::nullopt;
  return c.scoreMultiplier();
}

bool scalingMayOverflow(const AttentionConfig& c) {
  return c.switches->scoreCap == 0.0 && c.scoreMultiplier() > 1.0F;
}

void scaleScores(std::span<const float> raw, std::span<float> scores, const AttentionConfig& config,
                 const Pins& pins, const RowPart& part) {
  const auto count = static_cast<Index>(scores.size());
  const float multiplier = config.scoreMultiplier();
  if (config.switches->scoreCap == 0.0) {
    std::transform(raw.begin(), raw.end(), scores.begin(),
                   [multiplier](float score) { return score * multiplier; });
  } else {
    std::transform(raw.begin(), raw.end(), scores.begin(), [&config](float score) {
      return static_cast<float>(scaledScore(score, config));
    });
  }
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
