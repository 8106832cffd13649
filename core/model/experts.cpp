#include "core/model/experts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/attention/steps/linear.h"
#include "core/model/network.h"
#include "core/tensor/sums.h"

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

/// The tokens for which an expert computes, and their place among the experts of the token.
struct TokenOfExpert {
  Index row = 0;
  std::size_t choice = 0;
  double weight = 0.0;
};
using Choices = std::vector<std::vector<ChosenExpert>>;
std::vector<TokenOfExpert> tokensOf(Index expert, const Choices& chosen) {
  std::vector<TokenOfExpert> tokens;
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    for (std::size_t i = 0; i < chosen[row].size(); ++i) {
      if (chosen[row][i].expert != expert) continue;
      tokens.push_back({static_cast<Index>(row), i, chosen[row][i].weight});
    }
  }
  return tokens;
}

/// The rows of these tokens, one after the other.
Tensor rowsOf(const Tensor& x, const std::vector<TokenOfExpert>& tokens) {
  const Index width = x.dim(2);
  Tensor own = Tensor::uninitialised({1, std::ssize(tokens), width});
  float* to = own.mutableData();
  for (const TokenOfExpert& token : tokens) {
    to = std::copy_n(x.data() + token.row * width, width, to);
  }
  return own;
}

void addScaledRow(const Tensor& from, Index row, double factor, Tensor& to, Index at) {
  const Index width = to.dim(2);
  const auto times = static_cast<float>(factor);
  const float* source = from.data() + row * width;
  float* into = to.mutableData() + at * width;
  for (Index j = 0; j < width; ++j) into[j] += times * source[j];
}

void scaleRow(Tensor& of, Index row, double factor) {
  const Index width = of.dim(2);
  const auto times = static_cast<float>(factor);
  float* values = of.mutableData() + row * width;
  std::transform(values, values + width, values, [times](float x) { return x * times; });
}

double dotOfRows(const Tensor& a, Index rowOfA, const Tensor& b, Index rowOfB) {
  const Index width = a.dim(2);
  const float* left = a.data() + rowOfA * width;
  const float* right = b.data() + rowOfB * width;
  double total = 0.0;
  for (Index j = 0; j < width; ++j) {
    total += static_cast<double>(left[j]) * static_cast<double>(right[j]);
  }
  return total;
}

/// The gradients of one token's scores from those of its experts' weights. The choice is held.
Numbers scoreGradients(std::span<const float> scores, const std::vector<ChosenExpert>& chosen,
                       const Numbers& dWeights, const Experts& e) {
  const Numbers shares = sharesOf(scores, e.scoring);
  double total = 0.0, along = 0.0;  // Σ share, Σ dWeight · share over the chosen experts
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const double share = shares[static_cast<std::size_t>(chosen[i].expert)];
    total += share;
    along += dWeights[i] * share;
  }
  const bool divided = e.normalised && total > 0.0;
  Numbers d(shares.size(), 0.0);  // of the shares
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    d[static_cast<std::size_t>(chosen[i].expert)] =
        divided ? e.factor / total * (dWeights[i] - along / total) : e.factor * dWeights[i];
  }
  double mean = 0.0;  // under the softmax's shares
  for (std::size_t k = 0; k < d.size(); ++k) mean += d[k] * shares[k];
  for (std::size_t k = 0; k < d.size(); ++k) {
    d[k] = e.scoring == Experts::Scoring::sigmoid ? d[k] * shares[k] * (1.0 - shares[k])
                                                  : shares[k] * (d[k] - mean);
  }
  return d;
}

Choices chosenByScores(const Tensor& scores, const ExpertWeights& weights, const Experts& e) {
  Choices chosen;
  for (Index row = 0; row < scores.dim(1); ++row) {
    chosen.push_back(chosenFor(scores.matrix({0}).row(row), weights.choiceBias, e));
  }
  return chosen;
}

}  // namespace

std::vector<std::vector<ChosenExpert>> chosenExperts(const Tensor& x, const ExpertWeights& weights,
                                                     const ModelConfig& config,
                                                     const ExecutionContext& execution) {
  return chosenByScores(linear(x, weights.router, weights.routerBias, execution), weights,
                        config.experts);
}

Tensor mixtureOfExperts(const Tensor& x, const ExpertWeights& weights, const ModelConfig& config,
                        const ExecutionContext& execution) {
  const auto chosen = chosenExperts(x, weights, config, execution);
  Tensor output = weights.shared.down.empty() ? Tensor::zeros(x.shape())
                                              : feedForward(x, weights.shared, config, execution);
  for (std::size_t expert = 0; expert < weights.each.size(); ++expert) {
    const std::vector<TokenOfExpert> tokens = tokensOf(static_cast<Index>(expert), chosen);
    if (tokens.empty() || execution.stop()) continue;
    const Tensor computed = feedForward(rowsOf(x, tokens), weights.each[expert], config, execution);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      addScaledRow(computed, static_cast<Index>(i), tokens[i].weight, output, tokens[i].row);
    }
  }
  return output;
}

Tensor mixtureOfExpertsBackward(const Tensor& x, const Tensor& dy, const ExpertWeights& weights,
                                const ModelConfig& config, const ExecutionContext& execution) {
  const Tensor scores = linear(x, weights.router, weights.routerBias, execution);
  const Choices chosen = chosenByScores(scores, weights, config.experts);
  Tensor dx = weights.shared.down.empty()
                  ? Tensor::zeros(x.shape())
                  : feedForwardBackward(x, dy, weights.shared, config, execution);
  std::vector<Numbers> dWeights;  // of each token's experts
  for (const auto& ofToken : chosen) dWeights.emplace_back(ofToken.size(), 0.0);
  for (std::size_t expert = 0; expert < weights.each.size(); ++expert) {
    const std::vector<TokenOfExpert> tokens = tokensOf(static_cast<Index>(expert), chosen);
    if (tokens.empty() || execution.stop()) continue;
    const Tensor own = rowsOf(x, tokens);
    const Tensor computed = feedForward(own, weights.each[expert], config, execution);
    Tensor dOwn = rowsOf(dy, tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto& [row, choice, weight] = tokens[i];
      dWeights[static_cast<std::size_t>(row)][choice] =
          dotOfRows(dy, row, computed, static_cast<Index>(i));
      scaleRow(dOwn, static_cast<Index>(i), weight);
    }
    const Tensor through = feedForwardBackward(own, dOwn, weights.each[expert], config, execution);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      addScaledRow(through, static_cast<Index>(i), 1.0, dx, tokens[i].row);
    }
  }
  Tensor dScores = Tensor::uninitialised(scores.shape());
  float* to = dScores.mutableData();
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    const Numbers d = scoreGradients(scores.matrix({0}).row(static_cast<Index>(row)), chosen[row],
                                     dWeights[row], config.experts);
    to = std::ranges::transform(d, to, [](double value) { return static_cast<float>(value); }).out;
  }
  return sum(dx, linearInputGradient(dScores, weights.router, execution), 1.0, execution);
}

}  // namespace headscope::model
