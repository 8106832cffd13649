#include "core/model/frozen_norm.h"

#include <cmath>
#include <numeric>

namespace headscope::model {
namespace {

std::vector<double> numbersOfVector(const Tensor& vector) {
  if (vector.empty()) return {};
  return {vector.data(), vector.data() + vector.size()};
}

}  // namespace

FrozenNorm::FrozenNorm(std::span<const float> x, const NormWeights& weights, bool centred,
                       double epsilon)
    : gain_(numbersOfVector(weights.gain)),
      bias_(numbersOfVector(weights.bias)),
      centred_(centred) {
  if (!on()) return;
  const auto count = static_cast<double>(x.size());
  const double mean = centred ? std::accumulate(x.begin(), x.end(), 0.0) / count : 0.0;
  double squares = 0.0;
  for (const float number : x) {
    const double d = static_cast<double>(number) - mean;
    squares += d * d;
  }
  const double factor = 1.0 / std::sqrt(squares / count + epsilon);
  for (double& gain : gain_) gain *= factor;
}

void FrozenNorm::apply(std::span<double> rows) const {
  if (!on()) return;
  const std::size_t width = gain_.size();
  for (; !rows.empty(); rows = rows.subspan(width)) {
    const std::span<double> row = rows.first(width);
    const double mean =
        centred_ ? std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(width) : 0.0;
    for (std::size_t j = 0; j < width; ++j) row[j] = (row[j] - mean) * gain_[j];
  }
}

void FrozenNorm::pullBack(std::span<double> along) const {
  if (!on()) return;
  double total = 0.0;
  for (std::size_t j = 0; j < along.size(); ++j) total += along[j] *= gain_[j];
  if (!centred_) return;
  for (double& u : along) u -= total / static_cast<double>(along.size());
}

}  // namespace headscope::model
