#include "core/model/frozen_norm.h"

#include <cmath>

namespace headscope::model {
namespace {

Eigen::RowVectorXd inDouble(const Tensor& vector) {
  if (vector.empty()) return {};
  return Eigen::Map<const Eigen::RowVectorXf>(vector.data(), vector.size()).cast<double>();
}

}  // namespace

FrozenNorm::FrozenNorm(std::span<const float> x, const NormWeights& weights, bool centred,
                       double epsilon)
    : gain_(inDouble(weights.gain)), bias_(inDouble(weights.bias)), centred_(centred) {
  if (!on()) return;
  const Eigen::ArrayXd row =
      Eigen::Map<const Eigen::ArrayXf>(x.data(), std::ssize(x)).cast<double>();
  const double mean = centred ? row.mean() : 0.0;
  gain_ /= std::sqrt((row - mean).square().mean() + epsilon);
}

void FrozenNorm::apply(Eigen::MatrixXd& parts) const {
  if (!on()) return;
  if (centred_) parts.colwise() -= parts.rowwise().mean().eval();
  parts.array().rowwise() *= gain_.array();
}

void FrozenNorm::pullBack(Eigen::RowVectorXd& along) const {
  if (!on()) return;
  along.array() *= gain_.array();
  if (centred_) along.array() -= along.mean();
}

}  // namespace headscope::model
