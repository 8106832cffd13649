#include "core/model/experts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/attention/steps/linear.h"
#include "core/model/blocks.h"

namespace headscope::model {
namespace {

using Numbers = std::vector<double>;

/// The router's scores of one token as shares: a softmax, or a sigmoid of each.
Numbers sharesOf(std::span<const float> scores, Experts::Scoring scoring) {
  Numbers shares;
  if (scoring == Experts::Scoring::sigmoid) {
    for (const float s : scores) shares.push_back(1.0 / (1.0 + std::exp(-static_cast<double>(s))));
    return shares;
  }
  const auto largest = static_cast<double>(*std::ranges::max_element(scores));
  double total = 0.0;
  for (const float s : scores) {
    shares.push_back(std::exp(static_cast<double>(s) - largest));
    total += shares.back();
  }
  for (double& share : shares) share /= total;
  return shares;
}

/// The indices of the `count` largest numbers, the largest first; of equal ones the first.
std::vector<std::size_t> largest(const Numbers& numbers, Index count) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return numbers[a] > numbers[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
  return order;
}

/// Sets the experts of all but the best groups to 0; a group counts with its two best experts
/// (DeepSeek-AI 2024).
void keepBestGroups(Numbers& ranks, const Experts& e) {
  if (e.groups <= 1) return;
  const auto size = static_cast<std::ptrdiff_t>(e.count / e.groups);
  Numbers ofGroup;
  for (Index group = 0; group < e.groups; ++group) {
    const auto begin = ranks.begin() + static_cast<std::ptrdiff_t>(group) * size;
    Numbers own(begin, begin + size);
    double sum = 0.0;
    for (const std::size_t best : largest(own, 2)) sum += own[best];
    ofGroup.push_back(sum);
  }
  std::vector<bool> kept(ofGroup.size(), false);
  for (const std::size_t group : largest(ofGroup, e.groupsPerToken)) kept[group] = true;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!kept[i / static_cast<std::size_t>(size)]) ranks[i] = 0.0;
  }
}

std::vector<ChosenExpert> chosenFor(std::span<const float> scores, const Tensor& choiceBias,
                                    const Experts& e) {
  const Numbers shares = sharesOf(scores, e.scoring);
  Numbers ranks = shares;
  if (!choiceBias.empty()) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i] += static_cast<double>(choiceBias.data()[i]);
    }
  }
  keepBestGroups(ranks, e);
  std::vector<ChosenExpert> chosen;
  double total = 0.0;
  for (const std::size_t expert : largest(ranks, e.perToken)) {
    chosen.push_back({static_cast<Index>(expert), shares[expert]});
    total += shares[expert];
  }
  const double scale = e.normalised && total > 0.0 ? e.factor / total : e.factor;
  for (ChosenExpert& each : chosen) each.weight *= scale;
  return chosen;
}

void addScaledRow(const Tensor& from, Index row, double factor, Tensor& to, Index at) {
  const Index width = to.dim(2);
  const auto times = static_cast<float>(factor);
  const float* source = from.data() + row * width;
  float* into = to.mutableData() + at * width;
  for (Index j = 0; j < width; ++j) into[j] += times * source[j];
}

}  // namespace

std::vector<std::vector<ChosenExpert>> chosenExperts(const Tensor& x, const ExpertWeights& weights,
                                                     const ModelConfig& config,
                                                     const ExecutionContext& execution) {
  const Tensor scores = linear(x, weights.router, weights.routerBias, execution);
  std::vector<std::vector<ChosenExpert>> chosen;
  for (Index row = 0; row < x.dim(1); ++row) {
    chosen.push_back(chosenFor(scores.matrix({0}).row(row), weights.choiceBias, config.experts));
  }
  return chosen;
}

Tensor mixtureOfExperts(const Tensor& x, const ExpertWeights& weights, const ModelConfig& config,
                        const ExecutionContext& execution) {
  const Index width = x.dim(2);
  const auto chosen = chosenExperts(x, weights, config, execution);
  Tensor output = weights.shared.down.panels.empty()
                      ? Tensor::zeros(x.shape())
                      : feedForward(x, weights.shared, config, execution);
  for (std::size_t expert = 0; expert < weights.each.size(); ++expert) {
    std::vector<std::pair<Index, double>> rows;  // of its tokens, and the weight there
    for (std::size_t row = 0; row < chosen.size(); ++row) {
      for (const ChosenExpert& each : chosen[row]) {
        if (each.expert != static_cast<Index>(expert)) continue;
        rows.emplace_back(static_cast<Index>(row), each.weight);
      }
    }
    if (rows.empty() || execution.stop()) continue;
    Tensor own = Tensor::uninitialised({1, std::ssize(rows), width});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(x.data() + rows[i].first * width, width,
                  own.mutableData() + static_cast<Index>(i) * width);
    }
    const Tensor computed = feedForward(own, weights.each[expert], config, execution);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      addScaledRow(computed, static_cast<Index>(i), rows[i].second, output, rows[i].first);
    }
  }
  return output;
}

}  // namespace headscope::model
