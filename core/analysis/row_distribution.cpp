#include "core/analysis/row_distribution.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/analysis/entropy_sums.h"
#include "core/finite.h"
#include "core/steps/softmax_row.h"

namespace headscope {

namespace {

/// Row weights where some score at that sharpness leaves 32 bits: in double. A pass refuses such
/// scores, but what would become of the row is clear.
void wideRowWeights(const Trace& trace, const RowRef& row, const AttentionConfig& c,
                    std::span<float> weights) {
  const double factor = 1.0 / ((c.scale ? c.rootDk() : 1.0) * c.temperature);
  const AllowedKeys allowed = allowedKeys(c.mask, row.item, row.query, c.keys());
  const AllowedKeys takesPart = softmaxKeys(c, row.item, row.query);
  std::vector<double> scores(weights.size());
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const auto key = static_cast<Index>(j);
    const CellRef cell{TensorId::scores, row.item, row.head, row.query, key};
    CellRef raw = cell;
    raw.tensor = TensorId::rawScores;
    const auto pin = trace.pins().at(cell);
    scores[j] = pin ? static_cast<double>(*pin) : factor * static_cast<double>(trace.value(raw));
    if (c.mistakes.zeroForMasked && !allowed(key)) scores[j] = 0.0;
    if (!takesPart(key)) scores[j] = -std::numeric_limits<double>::infinity();
  }
  const double maximum = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0;
  for (double& score : scores) sum += score = std::exp(score - maximum);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    weights[j] = static_cast<float>(scores[j] / sum);
  }
}

}  // namespace

Sharpness sharpnessOf(const AttentionConfig& config) { return {config.scale, config.temperature}; }

std::vector<float> rowWeights(const Trace& trace, const RowRef& row, const Sharpness& sharpness) {
  AttentionConfig c = trace.config();
  c.scale = sharpness.scale;
  c.temperature = sharpness.temperature;
  std::vector<float> weights(static_cast<std::size_t>(c.keys()));
  trace.tile(TensorId::rawScores, row.item, row.head, row.query, 1, 0, c.keys(), weights.data());
  scoresForSoftmax(weights, weights, c, trace.pins(), {row.item, row.head, row.query, 0});
  const AllowedKeys keys = softmaxKeys(c, row.item, row.query);
  if (keys.any() && !allFinite({weights.data(), 1, c.keys(), c.keys(), 1})) {
    wideRowWeights(trace, row, c, weights);
  } else {
    softmaxRow(weights, keys);
  }
  return weights;
}

Index keysTakingPart(const AttentionConfig& config, const RowRef& row) {
  return softmaxKeys(config, row.item, row.query).count();
}

Spread spreadOf(std::span<const float> weights) {
  Spread spread;
  const auto largest = std::max_element(weights.begin(), weights.end());
  if (largest == weights.end() || *largest <= 0.0F) return spread;
  spread.largest = *largest;
  spread.largestKey = largest - weights.begin();
  spread.entropy = entropyOf(weights.data(), static_cast<Index>(weights.size()));
  spread.effectiveKeys = std::exp2(spread.entropy);
  return spread;
}

std::vector<double> temperatures(double low, double high, int count) {
  std::vector<double> found;
  for (int i = 0; i < count; ++i) {
    found.push_back(low * std::pow(high / low, static_cast<double>(i) / (count - 1)));
  }
  return found;
}

std::vector<double> entropyCurve(const Trace& trace, const RowRef& row, bool scale,
                                 std::span<const double> temperatures) {
  std::vector<double> entropies;
  for (const double temperature : temperatures) {
    entropies.push_back(spreadOf(rowWeights(trace, row, {scale, temperature})).entropy);
  }
  return entropies;
}

}  // namespace headscope
