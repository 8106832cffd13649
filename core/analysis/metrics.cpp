#include "core/analysis/metrics.h"

#include <algorithm>

namespace headscope {
namespace {

using Needs = MetricNeeds;

constexpr std::array<MetricInfo, kMetricCount> kMetrics{{
    {Metric::entropy, "entropy", "Entropy", "entropy",
     "how widely a row spreads its weight; 2 to its power is the number of keys that would share "
     "it evenly",
     "mean_i −Σ_j A_{ij} log2 A_{ij}", "0 … log2 M", "bits",
     "Shannon 1948; of attention: Clark et al. 2019", Needs::weights},
    {Metric::normalizedEntropy, "normalized_entropy", "Normalized entropy", "norm.",
     "the entropy over the most that the row's unmasked keys allow; rows with one key are left out",
     "mean_i −Σ_j A_{ij} log2 A_{ij} / log2 m_i, m_i unmasked keys", "0 … 1", "",
     "Shannon 1948 (relative entropy of a source)", Needs::weights},
    {Metric::confidence, "confidence", "Confidence", "conf.", "the largest weight of a row",
     "mean_i max_j A_{ij}", "1/M … 1", "", "Voita et al. 2019", Needs::weights},
    {Metric::meanDistance, "mean_distance", "Mean distance", "dist.",
     "how many tokens away a row looks, by weight", "mean_i Σ_j A_{ij} · |i − j|", "0 … M − 1",
     "tokens", "Vig and Belinkov 2019", Needs::positions},
    {Metric::local, "local", "Local", "local", "the weight on the two tokens to either side",
     "mean_i Σ_j A_{ij} over 1 ≤ |i − j| ≤ 2", "0 … 1", "", "Clark et al. 2019; Voita et al. 2019",
     Needs::positions},
    {Metric::previousToken, "previous_token", "Previous token", "prev",
     "the weight on the token before", "mean over i ≥ 1 of A_{i,i−1}", "0 … 1", "",
     "Clark et al. 2019; Elhage et al. 2021", Needs::positions},
    {Metric::nextToken, "next_token", "Next token", "next", "the weight on the token after",
     "mean over i ≤ n − 2 of A_{i,i+1}", "0 … 1", "", "Clark et al. 2019", Needs::positions},
    {Metric::self, "self", "Self", "self", "the weight on the token itself", "mean_i A_{ii}",
     "0 … 1", "", "Clark et al. 2019", Needs::positions},
    {Metric::firstToken, "first_token", "First token", "first",
     "the weight on the first token, of all rows but its own", "mean over i ≥ 1 of A_{i0}", "0 … 1",
     "", "Vig and Belinkov 2019; Xiao et al. 2023", Needs::positions},
    {Metric::duplicateToken, "duplicate_token", "Duplicate token", "same",
     "the weight on other places of the same token, of rows that see one",
     "mean_i Σ_j A_{ij} over unmasked j ≠ i with token_j = token_i", "0 … 1", "",
     "Wang et al. 2022", Needs::tokens},
    {Metric::induction, "induction", "Induction", "induct.",
     "the weight on what came after the token's earlier places, of rows that see one",
     "mean_i Σ_j A_{ij} over unmasked 1 ≤ j < i with token_{j−1} = token_i", "0 … 1", "",
     "Olsson et al. 2022", Needs::tokens},
    {Metric::ablation, "ablation", "Ablation", "ablat.",
     "the length of what the head adds to the output, over the output's: removing it subtracts "
     "exactly that term",
     "mean_i ‖head_{h,i} · W_{O,h}‖ / ‖output_i‖", "≥ 0", "", "Michel et al. 2019", Needs::weights},
}};

}  // namespace

std::span<const MetricInfo> allMetrics() { return kMetrics; }

const MetricInfo& info(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

std::optional<Metric> metricFromKey(std::string_view key) {
  const auto* found = std::find_if(kMetrics.begin(), kMetrics.end(),
                                   [&](const MetricInfo& m) { return m.key == key; });
  if (found == kMetrics.end()) return std::nullopt;
  return found->metric;
}

Measured meanOf(std::span<const Measured> values) {
  double sum = 0.0;
  int count = 0;
  for (const Measured& measured : values) {
    if (!measured) continue;
    sum += *measured;
    ++count;
  }
  if (count > 0) return {sum / count, {}};
  return Measured::undefined(values.empty() ? "there is nothing to average" : values.front().why);
}

}  // namespace headscope
