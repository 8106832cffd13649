#include "core/heads/distance_kernel.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/input/embedding.h"

namespace headscope {
namespace {

struct Wanted {
  double distance, value, weight;
};

FittedKernel leastSquares(const std::vector<Wanted>& wanted, Index count) {
  constexpr double kRidge = 1e-3;  // keeps amplitudes small where the points leave them open
  const Index unknowns = 2 * count + 1;
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(unknowns, unknowns);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(unknowns);
  for (const Wanted& point : wanted) {
    Eigen::VectorXd row(unknowns);
    for (Index pair = 0; pair < count; ++pair) {
      row(2 * pair) = std::cos(positionFrequency(pair) * point.distance);
      row(2 * pair + 1) = std::sin(positionFrequency(pair) * point.distance);
    }
    row(2 * count) = 1.0;
    normal += point.weight * row * row.transpose();
    right += point.weight * point.value * row;
  }
  for (Index i = 0; i < 2 * count; ++i) normal(i, i) += kRidge;
  const Eigen::VectorXd solution = normal.ldlt().solve(right);
  FittedKernel fit{{}, solution(2 * count)};
  for (Index pair = 0; pair < count; ++pair) {
    fit.pairs.push_back({pair, solution(2 * pair), solution(2 * pair + 1)});
  }
  return fit;
}

/// Σ over the peaks of the pair's wave, each brought to its peak: c and s of unit strength.
KernelPair matched(const Peaks& peaks, Index pair, bool secondChoices) {
  KernelPair sum{pair, 0.0, 0.0};
  for (const auto& [distance, height] : peaks.at) {
    if (height < 1.0 && !secondChoices) continue;
    const double angle = positionFrequency(pair) * distance;
    sum.cosine += height * std::cos(angle);
    sum.sine += height * std::sin(angle);
  }
  return sum;
}

/// The values at all distances within reach, from −40 on.
using Values = std::array<double, 2 * kKernelReach + 1>;

Values valuesOf(const KernelPair& pair) {
  Values values{};
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    values[static_cast<std::size_t>(i)] = valueAt({pair}, i - kKernelReach);
  }
  return values;
}

/// The margin of the lowest peak over all other distances.
double leadOf(const Values& sum, const Values& more, const Peaks& peaks) {
  double lowest = std::numeric_limits<double>::infinity();
  double others = -lowest;
  for (int distance = -kKernelReach; distance <= kKernelReach; ++distance) {
    const auto i = static_cast<std::size_t>(distance + kKernelReach);
    const double value = sum[i] + more[i];
    const bool peak = std::any_of(peaks.at.begin(), peaks.at.end(), [distance](const auto& p) {
      return p.first == distance && p.second >= 1.0;
    });
    if (peak) lowest = std::min(lowest, value);
    if (!peak) others = std::max(others, value);
  }
  return lowest - others;
}

}  // namespace

double valueAt(const DistanceKernel& kernel, int distance) {
  double sum = 0.0;
  for (const KernelPair& k : kernel) {
    const double angle = positionFrequency(k.pair) * distance;
    sum += k.cosine * std::cos(angle) + k.sine * std::sin(angle);
  }
  return sum;
}

std::optional<DistanceKernel> peakKernel(const Peaks& peaks, Index count, Index available) {
  constexpr Index kSecondChoicesFrom = 8;
  constexpr double kLargestGain = 64.0;
  count = std::min(count, available);
  std::vector<KernelPair> left;
  std::vector<Values> waves;
  for (Index pair = 0; pair < available; ++pair) {
    left.push_back(matched(peaks, pair, count >= kSecondChoicesFrom));
    waves.push_back(valuesOf(left.back()));
  }
  DistanceKernel kernel;
  Values sum{};
  double lead = 0.0;
  while (static_cast<Index>(kernel.size()) < count) {
    std::size_t best = 0;
    lead = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double with = leadOf(sum, waves[i], peaks);
      if (with <= lead) continue;
      lead = with;
      best = i;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += waves[best][i];
    kernel.push_back(left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    waves.erase(waves.begin() + static_cast<std::ptrdiff_t>(best));
  }
  if (lead <= 0.0 || peaks.lead / lead > kLargestGain) return std::nullopt;
  for (KernelPair& k : kernel) {
    k.cosine *= peaks.lead / lead;
    k.sine *= peaks.lead / lead;
  }
  return kernel;
}

FittedKernel shapedKernel(const std::vector<DistancePiece>& shape, Index count) {
  std::vector<Wanted> wanted;
  for (const DistancePiece& piece : shape) {
    for (int distance = piece.first; distance <= piece.last; ++distance) {
      const double away = std::abs(distance);
      const double part = away > 0 ? std::log(away) / std::log(kKernelReach) : 0.0;
      wanted.push_back({static_cast<double>(distance), piece.near + part * (piece.far - piece.near),
                        std::exp(-away / 6.0)});
    }
  }
  return leastSquares(wanted, count);
}

FittedKernel firstPlace(Index count) {
  std::vector<Wanted> wanted;
  for (int i = 0; i <= 2 * kKernelReach; ++i) {
    const double weight = i == 0 ? 100.0 : i <= kKernelReach ? 1.0 : 0.02;
    wanted.push_back({static_cast<double>(i), i == 0 ? 1.0 : 0.0, weight});
  }
  return leastSquares(wanted, count);
}

}  // namespace headscope
