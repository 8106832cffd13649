#include "core/input/series_features.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace headscope {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

}  // namespace

std::vector<Channel> standardise(const Series& series) {
  const ConstMatrixView values = series.values.matrix();
  const auto n = static_cast<double>(values.rows);
  std::vector<Channel> channels;
  for (Index c = 0; c < values.cols; ++c) {
    Channel& z = channels.emplace_back(static_cast<std::size_t>(values.rows));
    double sum = 0.0;
    for (Index i = 0; i < values.rows; ++i) sum += values(i, c);
    const double mean = sum / n;
    double squares = 0.0;
    for (Index i = 0; i < values.rows; ++i) squares += std::pow(values(i, c) - mean, 2);
    const double deviation = std::sqrt(squares / n);
    // Rounding of the mean alone must not blow up to noise of size 1.
    const bool constant = deviation <= 1e-12 * std::abs(mean);
    for (Index i = 0; i < values.rows; ++i) {
      z[static_cast<std::size_t>(i)] = constant ? 0.0 : (values(i, c) - mean) / deviation;
    }
  }
  return channels;
}

Channel firstDifference(const Channel& z) {
  Channel difference(z.size(), 0.0);
  for (std::size_t i = 1; i < z.size(); ++i) difference[i] = z[i] - z[i - 1];
  return difference;
}

Channel runningMean(const Channel& z) {
  Channel mean(z.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    sum += z[i];
    mean[i] = sum / static_cast<double>(i + 1);
  }
  return mean;
}

std::vector<bool> spikes(const Channel& z) {
  constexpr std::size_t kReach = 3;
  constexpr double kNormal = 1.4826;  // of the median deviation, to estimate the standard one
  Channel deviation(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::size_t begin = i - std::min(i, kReach);
    const std::size_t end = std::min(z.size(), i + kReach + 1);
    const std::span window(z.data() + begin, end - begin);
    deviation[i] = std::abs(z[i] - median({window.begin(), window.end()}));
  }
  const double threshold = std::max(5.0 * kNormal * median(deviation), 1.0);
  std::vector<bool> flags(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) flags[i] = deviation[i] > threshold;
  return flags;
}

std::optional<Index> changePoint(const std::vector<Channel>& channels) {
  constexpr double kThreshold = 1.63;
  constexpr std::size_t kFewestRows = 8;
  if (channels.empty() || channels.front().size() < kFewestRows) return std::nullopt;
  const std::size_t rows = channels.front().size();
  double largest = kThreshold * std::sqrt(static_cast<double>(rows));
  std::optional<Index> found;
  for (const Channel& z : channels) {
    double sum = 0.0;
    for (std::size_t k = 1; k < rows; ++k) {
      sum += z[k - 1];
      if (std::abs(sum) <= largest) continue;
      largest = std::abs(sum);
      found = static_cast<Index>(k);
    }
  }
  return found;
}

}  // namespace headscope
