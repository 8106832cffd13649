#include "core/analysis/row_distribution.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/analysis/entropy_sums.h"
#include "core/steps/softmax_row.h"

namespace headscope {

Sharpness sharpnessOf(const AttentionConfig& config) { return {config.scale, config.temperature}; }

std::vector<float> rowWeights(const Trace& trace, const RowRef& row, const Sharpness& sharpness) {
  Document document = trace.document();  // shares its tensors
  document.config.scale = sharpness.scale;
  document.config.temperature = sharpness.temperature;
  const AttentionConfig& c = document.config;
  // vectorised sums round by how a row lies to a cache line: so as it does among the step's weights
  constexpr Index kCacheLine = 16;  // floats
  const Index before =
      ((row.item * c.numHeads + row.head) * c.seqLen + row.query) * c.keys() % kCacheLine;
  Tensor line = Tensor::uninitialised({before + c.keys()});
  const std::span<float> weights(line.mutableData() + before, static_cast<std::size_t>(c.keys()));
  trace.tile(TensorId::rawScores, row.item, row.head, row.query, 1, 0, c.keys(), weights.data());
  scoresForSoftmax(weights, weights, document, {row.item, row.head, row.query, 0});
  softmaxRow(weights, softmaxKeys(c, row.item, row.query));
  return {weights.begin(), weights.end()};
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
