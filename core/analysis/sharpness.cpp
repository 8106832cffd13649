#include "core/analysis/sharpness.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/analysis/rows.h"
#include "core/attention/alibi.h"
#include "core/attention/config.h"
#include "core/attention/steps/softmax_row.h"
#include "core/attention/switches.h"
#include "core/base/random.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/tensor/finite.h"

namespace headscope {

namespace {

/// Computes the weights of a row in double, for scores that exceed float32 at this sharpness. A
/// pass refuses such scores, but the weights are well defined.
void wideRowWeights(const Trace& trace, const RowRef& row, const AttentionConfig& c,
                    std::span<float> weights) {
  const AllowedKeys allowed = allowedKeys(c.mask, row.item, row.query, c.keys());
  const AllowedKeys takesPart = softmaxKeys(c, row.item, row.query);
  std::vector<double> scores(weights.size());
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const auto key = static_cast<Index>(j);
    const CellRef cell{TensorId::scores, row.item, row.head, row.query, key};
    CellRef raw = cell;
    raw.tensor = TensorId::rawScores;
    const auto pin = trace.pins().at(cell);
    scores[j] =
        pin ? static_cast<double>(*pin) : scaledScore(static_cast<double>(trace.value(raw)), c);
    scores[j] += scoreBias(c, {row.item, row.head, row.query, key});
    if (c.mistakes.zeroForMasked && !allowed(key)) scores[j] = 0.0;
    if (!takesPart(key)) scores[j] = -std::numeric_limits<double>::infinity();
  }
  double maximum = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0;
  if (!c.sinks.empty()) {  // a score without a key
    const auto sink = static_cast<double>(c.sinks[static_cast<std::size_t>(row.head)]);
    maximum = std::max(maximum, sink);
    sum = std::exp(sink - maximum);
  }
  for (double& score : scores) sum += score = std::exp(score - maximum);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    weights[j] = static_cast<float>(softmaxShare(scores[j], sum));
  }
}

}  // namespace

Sharpness sharpnessOf(const AttentionConfig& config) {
  return {config.switches->scale, config.switches->temperature};
}

std::vector<float> rowWeights(const Trace& trace, const RowRef& row, const Sharpness& sharpness) {
  AttentionConfig c = trace.config();
  c.switches->scale = sharpness.scale;
  c.switches->temperature = sharpness.temperature;
  std::vector<float> weights(static_cast<std::size_t>(c.keys()));
  trace.tile(TensorId::rawScores, row.item, row.head, row.query, 1, 0, c.keys(), weights.data());
  scoresForSoftmax(weights, weights, c, trace.pins(), {row.item, row.head, row.query, 0});
  const AllowedKeys keys = softmaxKeys(c, row.item, row.query);
  if (keys.any() && !allFinite({weights.data(), 1, c.keys(), c.keys(), 1})) {
    wideRowWeights(trace, row, c, weights);
  } else {
    softmaxOfHead(weights, keys, c, row.head);
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

namespace {

/// The running mean and variance of values (Welford 1962).
class RunningVariance {
 public:
  void add(double value) {
    ++count_;
    const double distance = value - mean_;
    mean_ += distance / static_cast<double>(count_);
    squares_ += distance * (value - mean_);
  }
  double value() const { return count_ > 0 ? squares_ / static_cast<double>(count_) : 0.0; }

 private:
  Index count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

double varianceOf(const Trace& trace, TensorId tensor, Index item, Index head,
                  const std::atomic<bool>* cancelled) {
  const AttentionConfig& c = trace.config();
  std::vector<float> row(static_cast<std::size_t>(c.keys()));
  RunningVariance variance;
  for (Index i = 0; i < c.seqLen && !(cancelled != nullptr && *cancelled); ++i) {
    trace.tile(tensor, item, head, i, 1, 0, c.keys(), row.data());
    for (const float score : row) variance.add(score);
  }
  return variance.value();
}

}  // namespace

std::vector<DrawnVariance> drawnVariances(std::uint64_t seed, Index pairs) {
  constexpr Index kLargest = 512;
  const RandomStream queries(seed, "variance q");
  const RandomStream keys(seed, "variance k");
  std::vector<DrawnVariance> found;
  std::uint64_t drawn = 0;
  for (Index dK = 1; dK <= kLargest; dK *= 2) {
    RunningVariance variance;
    for (Index pair = 0; pair < pairs; ++pair) {
      double product = 0.0;
      for (Index j = 0; j < dK; ++j, ++drawn) product += queries.normal(drawn) * keys.normal(drawn);
      variance.add(product);
    }
    found.push_back({dK, variance.value()});
  }
  return found;
}

HeadVariance headVariance(const Trace& trace, Index item, Index head,
                          const std::atomic<bool>* cancelled) {
  return {varianceOf(trace, TensorId::rawScores, item, head, cancelled),
          varianceOf(trace, TensorId::scores, item, head, cancelled)};
}

}  // namespace headscope
